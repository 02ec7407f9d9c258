import Files
import Foundation
import SQLite
import Synchronization

/// What a cache knows of its files: an SQLite database in its folder, shared by all processes that use the folder.
///
/// Rows and files are kept in an order that an interruption cannot turn into a lie: the file first and its row
/// second, the row's removal first and the file's second. A file without a row is no entry and is swept; a row
/// without its file is dropped by the read that finds it so. Changes and removals of files are made under the
/// folder's lock, and a row is only written while its file is seen to be there: so no process can remove a
/// file that another has just stored.
final class DataCacheIndex: Sendable {
    /// What a read needs to know of an entry.
    struct Row: Sendable {
        let size: Int
        let sha256: Data
        /// Whether the bytes are known to be good since the last unclean end.
        let isTrusted: Bool
    }

    /// Whether the last process that used the folder ended without closing the cache.
    let endedUncleanly: Bool
    let database: Database
    let folder: Folder
    let epoch: Int64
    let uses: RecentUses
    private let reader: Mutex<Connection?>

    /// Opens the index of the cache in `folder`, making it where it is missing.
    ///
    /// One that is damaged begins anew, unless other processes use it: a cache can be filled again, and files
    /// that the new index does not know are swept.
    init(folder: Folder) throws {
        let opening = try IndexOpening(folder: folder)
        self.folder = folder
        uses = opening.uses
        do {
            database = try opening.open()
        } catch let error as SQLiteError where error.isDamage {
            try opening.removeDamaged(after: error)
            database = try opening.open()
        }
        (epoch, endedUncleanly) = opening.found
        reader = Mutex(try Connection(path: opening.path, mode: .readOnly))
    }

    /// Empties the log into the database, notes the clean end and closes; blocks.
    func close() {
        reader.withLock { $0 = nil }
        database.close()
    }

    /// The row of the file `name`, read on the calling thread.
    func row(_ name: String) throws -> Row? {
        try read("SELECT size, sha256, epoch FROM entry WHERE name = ?", .text(name)) { [epoch] row in
            Row(size: Int(row.integer(0)), sha256: row.blob(1), isTrusted: row.integer(2) >= epoch)
        }
    }

    /// What was stored beside the bytes of the file `name`.
    func metadata(_ name: String) throws -> DataCache.Metadata? {
        let columns = "size, sha256, created, final_url, content_type, etag, last_modified"
        return try read("SELECT \(columns) FROM entry WHERE name = ?", .text(name)) { row in
            var metadata = DataCache.Metadata(
                finalURL: row.isNull(3) ? nil : row.text(3),
                contentType: row.isNull(4) ? nil : row.text(4),
                etag: row.isNull(5) ? nil : row.text(5),
                lastModified: row.isNull(6) ? nil : row.text(6)
            )
            metadata.size = Int(row.integer(0))
            metadata.sha256 = row.blob(1)
            metadata.created = Date(timeIntervalSince1970: Double(row.integer(2)) / 1_000_000)
            return metadata
        }
    }

    /// How many entries there are, their bytes, and when the last sweep was (microseconds since 1970).
    func totals() throws -> (count: Int, size: Int, lastSweep: Int64) {
        try read("SELECT count, size, last_sweep FROM state") {
            (Int($0.integer(0)), Int($0.integer(1)), $0.integer(2))
        } ?? (0, 0, 0)
    }

    /// Notes that the file `name` was read and is good; written to the database together with many others.
    func noteUse(of name: String) {
        guard uses.add(name) else { return }
        // Only recency is lost if this fails, and a failing database makes itself known at the next store.
        database.write({ [self] in try uses.write(to: $0) }, completion: { _ in })
    }

    /// The name of the file `name` below the cache's folder: in one of 256 folders, by the first two digits of
    /// the SHA-1 that it is, or else of its own.
    static func place(_ name: String) -> String {
        let digits = name.utf8.prefix(2)
        let isHexadecimal =
            name.utf8.count == 40 && digits.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        return
            "\(isHexadecimal ? String(name.prefix(2)) : String(Digest.sha1.hex(of: name).prefix(2)))/\(name)"
    }

    private func read<Output: Sendable>(_ sql: String, _ values: Value..., row: (Statement) -> Output) throws
        -> Output?
    {
        try reader.withLock { connection in
            guard let connection else { throw DatabaseClosed() }
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(values)
            return try statement.step() ? row(statement) : nil
        }
    }
}

/// The files read of late, in order, until the database hears of them.
final class RecentUses: Sendable {
    /// More would make the commit that carries them long.
    private static let limit = 1024

    private struct State {
        var order: [String: Int] = [:]
        var last = 0
        var isDue = false
    }

    private let state = Mutex(State())

    /// Adds a use of `name` and answers whether there are enough for a commit now.
    func add(_ name: String) -> Bool {
        state.withLock { state in
            state.last += 1
            state.order[name] = state.last
            guard state.order.count >= Self.limit, !state.isDue else { return false }
            state.isDue = true
            return true
        }
    }

    /// Whether `name` was found to be good since uses were last written.
    func contains(_ name: String) -> Bool {
        state.withLock { $0.order[name] != nil }
    }

    /// Writes the uses down, so that what is evicted next is what was used longest ago.
    func write(to connection: Connection) throws {
        let order = state.withLock { state in
            defer { (state.order, state.isDue) = ([:], false) }
            return state.order
        }
        guard !order.isEmpty else { return }
        let statement = try connection.statement(
            """
            UPDATE entry SET used = (SELECT max(?2, last_used + 1) FROM state),
              epoch = (SELECT epoch FROM state) WHERE name = ?1
            """
        )
        let now = DataCacheIndex.now()
        for (name, _) in order.sorted(by: { $0.value < $1.value }) {
            try statement.run(.text(name), .integer(now))
        }
    }
}
