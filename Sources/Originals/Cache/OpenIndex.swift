import Files
import Foundation
import Synchronization

/// The open index of a cache, created again if its folder was removed or replaced.
final class OpenIndex: Sendable {
    private struct State {
        var index: DataCacheIndex
        var isClosed = false
    }

    private let path: URL
    private let state: Mutex<State>

    /// Opens the index in the folder `path`, and creates the folder if it is missing.
    init(path: URL) throws {
        self.path = path
        state = Mutex(State(index: try Self.open(path)))
    }

    var current: DataCacheIndex { state.withLock { $0.index } }

    /// Creates the folder and the index again if those that `index` has open were removed or replaced.
    /// - Throws: as the initializer.
    func reopen(after index: DataCacheIndex) throws {
        try state.withLock { state in
            // Another thread may have been first.
            guard state.index === index, index.hasVanished, !state.isClosed else { return }
            state.index = try Self.open(path)
        }
    }

    /// Closes the index for good.
    func close() {
        let index = state.withLock { state in
            state.isClosed = true
            return state.index
        }
        index.close()
    }

    private static func open(_ path: URL) throws -> DataCacheIndex {
        try DataCacheIndex(folder: Folder(path: path.path, create: true, permissions: 0o700))
    }
}
