import Files
import Foundation
import Synchronization

/// The file of one partial download, used on the thread of ``PartialDownloads`` alone.
///
/// A failed write is not an error: the download continues, and nothing of it is kept.
final class PartialFile: Sendable {
    private struct State {
        var file: HeldFile?
        var size = 0
        var digest = RunningDigest()
    }

    let name: String
    private let key: String
    let downloads: PartialDownloads
    private let state = Mutex(State())

    init(name: String, key: String, in downloads: PartialDownloads) {
        self.name = name
        self.key = key
        self.downloads = downloads
    }

    /// Holds the file and reads it; removes it if it differs from its row.
    func open() -> ResumableData? {
        state.withLock { state in
            guard let (file, row) = try? downloads.hold(name) else { return nil }
            if let row, row.key == key, !row.isOlder(than: downloads.ageLimit),
                let mapping = try? file.mapped(count: row.size), mapping.count == row.size,
                (try? mapping.load()) != nil
            {
                state.digest.append(mapping.data)
                mapping.releaseMemory()
                if Data(state.digest.value) == row.sha256,
                    let resumable = ResumableData(
                        mapping.data,
                        of: row.whole,
                        overlap: ResumableData.overlapCount,
                        mapping: mapping
                    )
                {
                    (state.file, state.size) = (file, row.size)
                    return resumable
                }
            }
            try? downloads.remove(name, file)
            state.digest = RunningDigest()
            return nil
        }
    }

    /// Writes `range` of `body`, which begins where the file ends, durably.
    /// - Returns: True for success; otherwise nothing is left on disk.
    func append(_ range: Range<Int>, of body: UnnamedFile, _ whole: ResumableResponse) -> Bool {
        state.withLock { state in
            // An earlier piece may have failed.
            guard range.lowerBound == state.size else { return false }
            do {
                guard try downloads.makeRoom(for: range.count, of: name) else {
                    try remove(&state)
                    return false
                }
                if state.file == nil { state.file = try downloads.make(name) }
                guard let file = state.file else { return false }
                let digest = state.digest
                try file.copy(range, of: body) { digest.append($0) }
                state.size = range.upperBound
                let sha256 = Data(state.digest.value)
                try downloads.record(
                    PartialRow(name: name, key: key, size: state.size, sha256: sha256, whole: whole)
                )
                return true
            } catch {
                try? remove(&state)
                return false
            }
        }
    }

    /// Releases the file.
    func close() {
        state.withLock { $0.file = nil }
    }

    /// Removes the file and its row; it may be started again.
    func remove() {
        state.withLock { try? remove(&$0) }
    }

    private func remove(_ state: inout State) throws {
        let file = state.file
        state = State()
        if let file { try downloads.remove(name, file) }
    }
}
