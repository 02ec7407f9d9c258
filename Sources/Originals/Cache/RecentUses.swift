import Files
import SQLite
import Synchronization

/// The files read of late, in order, until the database hears of them.
final class RecentUses: Sendable {
    /// More would make the commit that carries them long.
    private static let limit = 1024

    private struct State {
        var files: [String: (order: Int, stamp: DataCacheIndex.Stamp?)] = [:]
        var last = 0
        var isDue = false
    }

    private let state = Mutex(State())

    /// Adds a use of `name` and answers whether there are enough for a commit now.
    func add(_ name: String, _ stamp: DataCacheIndex.Stamp?) -> Bool {
        state.withLock { state in
            state.last += 1
            state.files[name] = (state.last, stamp ?? state.files[name]?.stamp)
            guard state.files.count >= Self.limit, !state.isDue else { return false }
            state.isDue = true
            return true
        }
    }

    /// True if `name` was found to be good with this `stamp` since uses were last written.
    func contains(_ name: String, _ stamp: DataCacheIndex.Stamp) -> Bool {
        state.withLock { $0.files[name]?.stamp == stamp }
    }

    /// Records the uses, so that the least recently used entries are evicted next.
    ///
    /// The stamps of files that others wrote to `folder`, as of a cache that was copied, are recorded once these are durable.
    func write(to connection: Connection, of folder: Folder) throws {
        let files = state.withLock { state in
            defer { (state.files, state.isDue) = ([:], false) }
            return state.files
        }
        guard !files.isEmpty else { return }
        if files.values.contains(where: { $0.stamp != nil }) { folder.syncFileSystem() }
        let statement = try connection.statement(
            """
            UPDATE entry SET used = (SELECT max(?2, last_used + 1) FROM state),
              epoch = (SELECT epoch FROM state), inode = coalesce(?3, inode), modified = coalesce(?4, modified)
            WHERE name = ?1
            """
        )
        let now = DataCacheIndex.now()
        for (name, use) in files.sorted(by: { $0.value.order < $1.value.order }) {
            let stamp = use.stamp
            try statement.run(name, now, stamp?.inode, stamp?.changed)
        }
    }
}
