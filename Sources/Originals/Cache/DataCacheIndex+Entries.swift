import Foundation
import SQLite

/// Listing the entries of an index, for ``DataCache`` to show them.
extension DataCacheIndex {
    /// Up to `limit` entries in the order of their files' names, after the one named `last`.
    func page(after last: String, limit: Int) throws -> [(name: String, entry: DataCache.Entry)] {
        try read { connection in
            try connection.statement(
                """
                SELECT \(Self.metadataColumns), name, key, size, used, pins FROM entry WHERE name > ?
                ORDER BY name LIMIT ?
                """
            ).rows(last, limit) { row in
                let entry = DataCache.Entry(
                    key: row["key"],
                    metadata: Self.metadata(row),
                    fileSize: row["size"],
                    used: Date(timeIntervalSince1970: row["used"] / 1_000_000),
                    isPinned: row["pins"] > 0
                )
                return (row["name"], entry)
            }
        }
    }

    /// Returns, for each form of the bytes in files, the number of entries, the bytes of their files, and those of the entries; looks
    /// at all entries.
    func codings() throws -> [EntryCoding: DataCache.Codings.Sums] {
        try read { connection in
            let rows: [(EntryCoding?, DataCache.Codings.Sums)] = try connection.statement(
                """
                SELECT coding, count(*) AS count, sum(size) AS file_size, sum(coalesce(length, size)) AS size FROM entry
                WHERE coding IS NOT NULL GROUP BY coding
                """
            ).rows { row in
                let number: Int = row["coding"]
                return (EntryCoding(rawValue: number), (row["count"], row["file_size"], row["size"]))
            }
            return Dictionary(
                uniqueKeysWithValues: rows.compactMap { coding, sums in coding.map { ($0, sums) } }
            )
        }
    }
}
