import Foundation
import SQLite

/// The row of a partial download in an index.
struct PartialRow: Sendable {
    let name: String
    let key: String
    /// The bytes of the file that are durable, and their SHA-256.
    let size: Int
    let sha256: Data
    /// The whole of which they are the beginning.
    let whole: ResumableResponse
    /// The arrival time of the last of them, in microseconds since 1970.
    var updated = DataCacheIndex.now()

    /// Returns true if nothing has arrived for `age` seconds.
    func isOlder(than age: TimeInterval) -> Bool {
        Double(DataCacheIndex.now() - updated) > age * 1_000_000
    }
}

/// The rows of partial downloads; all of these block the calling thread.
extension DataCacheIndex {
    /// All rows, the oldest first.
    func partials() throws -> [PartialRow] {
        try database.readNow { connection in
            try connection.statement(
                """
                SELECT name, key, size, sha256, total, etag, last_modified, updated FROM partial
                ORDER BY updated
                """
            ).rows { row in
                ResumableResponse(
                    total: row["total"],
                    etag: row["etag"],
                    lastModified: row["last_modified"]
                ).map { whole in
                    PartialRow(
                        name: row["name"],
                        key: row["key"],
                        size: row["size"],
                        sha256: row["sha256"],
                        whole: whole,
                        updated: row["updated"]
                    )
                }
            }.compactMap { $0 }
        }
    }

    /// Makes `row` the row of its name.
    func record(_ row: PartialRow) throws {
        try database.writeNow { connection in
            try connection.statement("INSERT OR REPLACE INTO partial VALUES (?, ?, ?, ?, ?, ?, ?, ?)").run(
                with: [
                    row.name, row.key, row.size, row.sha256, row.whole.total, row.whole.etag,
                    row.whole.lastModified, row.updated,
                ])
        }
    }

    /// Removes the row of `name`, if there is one.
    func removePartial(_ name: String) throws {
        try database.writeNow { connection in
            try connection.statement("DELETE FROM partial WHERE name = ?").run(name)
        }
    }
}
