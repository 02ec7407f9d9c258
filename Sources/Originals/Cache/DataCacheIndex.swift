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
        /// The form of the bytes in the file.
        let coding: EntryCoding?
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
    var hasVanished: Bool { opening.hasVanished }

    /// The row of the file `name`, read on the calling thread.
    func row(_ name: String) throws -> Row? {
        try read(Self.rowByName, name) { [epoch] in Row($0, epoch: epoch) }
    }

    /// The columns of a `Row`.
    private static let rowColumns = "size, length, coding, sha256, inode, modified, epoch"

    /// Selects the columns of a `Row`.
    static let rowByName = "SELECT \(rowColumns) FROM entry WHERE name = ?"

    /// Returns the row and the metadata of the file `name` in one look, on the calling thread.
    func entry(_ name: String) throws -> (row: Row, metadata: DataCache.Metadata)? {
        try read(
            "SELECT \(Self.metadataColumns), \(Self.rowColumns) FROM entry WHERE name = ?",
            name
        ) { [epoch] in (Row($0, epoch: epoch), Self.metadata($0)) }
    }

    /// Returns the metadata stored with the bytes of the file `name`.
    func metadata(_ name: String) throws -> DataCache.Metadata? {
        try read("SELECT \(Self.metadataColumns) FROM entry WHERE name = ?", name, row: Self.metadata)
    }

    static let metadataColumns = """
        coalesce(length, size) AS content_size, sha256, created, final_url, content_type, etag, last_modified,
            answered, freshness
        """

    static func metadata(_ row: Statement) -> DataCache.Metadata {
        var metadata = DataCache.Metadata(
            finalURL: row["final_url"],
            contentType: row["content_type"],
            etag: row["etag"],
            lastModified: row["last_modified"]
        )
        metadata.size = row["content_size"]
        metadata.sha256 = row["sha256"]
        metadata.created = Date(timeIntervalSince1970: row["created"] / 1_000_000)
        let answered: Double? = row["answered"]
        metadata.answered = answered.map { Date(timeIntervalSince1970: $0 / 1_000_000) }
        metadata.freshness = HeaderFields(lines: row["freshness"])
        return metadata
    }

    /// Returns the number of entries, their bytes, and the time of the last sweep (microseconds since 1970).
    func totals() throws -> (count: Int, size: Int, lastSweep: Int64) {
        try read("SELECT count, size, last_sweep FROM state") {
            ($0["count"], $0["size"], $0["last_sweep"])
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

    private func read<Output: Sendable>(
        _ sql: String,
        _ values: any StoredValue...,
        row: (Statement) -> Output
    ) throws
        -> Output?
    {
        try read { connection in
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(values)
            return try statement.step() ? row(statement) : nil
        }
    }

    /// Reads on the calling thread, by the connection for that.
    func read<Output: Sendable>(_ body: (Connection) throws -> Output) throws -> Output {
        try reader.withLock { connection in
            guard let connection else { throw DatabaseClosed() }
            return try body(connection)
        }
    }
}

extension DataCacheIndex.Row {
    init(_ row: Statement, epoch: Int64) {
        size = row["size"]
        length = row["length"]
        let number: Int? = row["coding"]
        // One without a number was written by an earlier release meanwhile.
        coding = number.flatMap(EntryCoding.init) ?? (length == nil ? nil : .deflate)
        sha256 = row["sha256"]
        stamp = DataCacheIndex.Stamp(inode: row["inode"], changed: row["modified"])
        isTrusted = row["epoch"] >= epoch
    }
}

extension DataCacheIndex.Stamp {
    init(_ status: Folder.Status) {
        // The same 64 bits: SQLite's integers have a sign.
        inode = Int64(bitPattern: status.inode)
        changed = status.changed
    }
}
