import Files
import Foundation
import SQLite
import Synchronization

/// The index of a cache's files: an SQLite database in its folder, shared by all processes that use the folder.
///
/// Rows and files are kept in an order that an interruption cannot turn into a lie: the file first and its row
/// second, the row's removal first and the file's second. A file without a row is no entry and is swept; a row
/// without its file is dropped by the read that finds it so. Changes and removals of files are made under the
/// folder's lock, and a row is only written while its file is seen to be there: so no process can remove a
/// file that another has just stored.
final class DataCacheIndex: Sendable {
    /// The columns of an entry that a read needs.
    struct Row: Sendable {
        /// Of the file.
        let size: Int
        /// The length of the uncompressed bytes, if the file is compressed.
        let length: Int?
        /// Of the bytes.
        let sha256: Data
        /// The file's stamp when its bytes were last known to be good.
        let stamp: Stamp
        /// True if that was after the last unclean end.
        let isTrusted: Bool
    }

    /// The identity of one state of a file: it differs for another file of the same name, and after a change, also one under another
    /// of the file's names after which its size and times were set to what they had been.
    struct Stamp: Hashable, Sendable {
        let inode: Int64
        let changed: Int64
    }

    /// True if the last process that used the folder ended without closing the cache.
    let endedUncleanly: Bool
    let database: Database
    let folder: Folder
    let epoch: Int64
    let uses: RecentUses
    private let opening: IndexOpening
    private let reader: Mutex<Connection?>

    /// Opens the index of the cache in `folder`, and creates it if it is missing.
    ///
    /// A damaged one is replaced, unless other processes use it: a cache can be filled again, and files
    /// that the new index does not know are swept.
    init(folder: Folder) throws {
        let opening = try IndexOpening(folder: folder)
        self.folder = folder
        self.opening = opening
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

    /// True if the folder or the cache's own files in it were removed or replaced, so that nothing written here would last.
    var hasVanished: Bool {
        opening.hasVanished
    }

    /// The row of the file `name`, read on the calling thread.
    func row(_ name: String) throws -> Row? {
        try read(Self.rowByName, .text(name)) { [epoch] in Row($0, epoch: epoch) }
    }

    /// Selects the columns of a `Row`.
    static let rowByName = "SELECT size, length, sha256, inode, modified, epoch FROM entry WHERE name = ?"

    /// Returns the row and the metadata of the file `name` in one look, on the calling thread.
    func entry(_ name: String) throws -> (row: Row, metadata: DataCache.Metadata)? {
        try read(
            """
            SELECT \(Self.metadataColumns), size, length, sha256, inode, modified, epoch FROM entry WHERE name = ?
            """,
            .text(name)
        ) { [epoch] in (Row($0, from: Self.metadataColumnCount, epoch: epoch), Self.metadata($0)) }
    }

    /// Returns the metadata stored with the bytes of the file `name`.
    func metadata(_ name: String) throws -> DataCache.Metadata? {
        try read(
            "SELECT \(Self.metadataColumns) FROM entry WHERE name = ?",
            .text(name),
            row: Self.metadata
        )
    }

    private static let metadataColumns = """
        coalesce(length, size), sha256, created, final_url, content_type, etag, last_modified, answered, freshness
        """

    private static let metadataColumnCount = 9

    private static func metadata(_ row: Statement) -> DataCache.Metadata {
        var metadata = DataCache.Metadata(
            finalURL: row.isNull(3) ? nil : row.text(3),
            contentType: row.isNull(4) ? nil : row.text(4),
            etag: row.isNull(5) ? nil : row.text(5),
            lastModified: row.isNull(6) ? nil : row.text(6)
        )
        metadata.size = Int(row.integer(0))
        metadata.sha256 = row.blob(1)
        metadata.created = Date(timeIntervalSince1970: Double(row.integer(2)) / 1_000_000)
        metadata.answered = row.optionalInteger(7).map {
            Date(timeIntervalSince1970: Double($0) / 1_000_000)
        }
        metadata.freshness = HeaderFields(lines: row.isNull(8) ? "" : row.text(8))
        return metadata
    }

    /// Returns the number of entries, their bytes, and the time of the last sweep (microseconds since 1970).
    func totals() throws -> (count: Int, size: Int, lastSweep: Int64) {
        try read("SELECT count, size, last_sweep FROM state") {
            (Int($0.integer(0)), Int($0.integer(1)), $0.integer(2))
        } ?? (0, 0, 0)
    }

    /// Notes that the file `name` was read and is good; written to the database together with many others.
    ///
    /// `stamp` is that of a file whose bytes had to be looked at, so that they need not be the next time.
    func noteUse(of name: String, found stamp: Stamp?) {
        guard uses.add(name, stamp) else { return }
        // Only recency is lost if this fails, and a failing database makes itself known at the next store.
        database.write({ [self] in try uses.write(to: $0, of: folder) }, completion: { _ in })
    }

    /// Up to `limit` entries in the order of their files' names, after the one named `last`.
    func page(after last: String, limit: Int) throws -> [(name: String, entry: DataCache.Entry)] {
        try reader.withLock { connection in
            guard let connection else { throw DatabaseClosed() }
            return try connection.statement(
                """
                SELECT \(Self.metadataColumns), name, key, size, used, pins FROM entry WHERE name > ?
                ORDER BY name LIMIT ?
                """
            ).rows(.text(last), Value(limit)) { row in
                let entry = DataCache.Entry(
                    key: row.text(10),
                    metadata: Self.metadata(row),
                    fileSize: Int(row.integer(11)),
                    used: Date(timeIntervalSince1970: Double(row.integer(12)) / 1_000_000),
                    isPinned: row.integer(13) > 0
                )
                return (row.text(9), entry)
            }
        }
    }

    /// Returns the bytes of all pinned entries, and the owners of the pins.
    func pins() throws -> (size: Int, owners: [String]) {
        let size = try read("SELECT pinned_size FROM state") { Int($0.integer(0)) } ?? 0
        return try reader.withLock { connection in
            guard let connection else { throw DatabaseClosed() }
            let owners = "SELECT path FROM owner WHERE owner_id IN (SELECT owner_id FROM pin) ORDER BY path"
            return (size, try connection.statement(owners).rows { $0.text(0) })
        }
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

extension DataCacheIndex.Row {
    /// Creates the row from the columns of a statement, from the column `first` on.
    init(_ row: Statement, from first: Int = 0, epoch: Int64) {
        size = Int(row.integer(first))
        length = row.optionalInteger(first + 1).map { Int($0) }
        sha256 = row.blob(first + 2)
        stamp = DataCacheIndex.Stamp(inode: row.integer(first + 3), changed: row.integer(first + 4))
        isTrusted = row.integer(first + 5) >= epoch
    }
}

extension DataCacheIndex.Stamp {
    init(_ status: Folder.Status) {
        // The same 64 bits: SQLite's integers have a sign.
        inode = Int64(bitPattern: status.inode)
        changed = status.changed
    }
}
