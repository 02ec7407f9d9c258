import Foundation
import SQLite

/// An item that is not finished.
public struct UnfinishedItem: Sendable {
    /// The URL as given.
    public let url: String
    /// The item's own headers, as written.
    public let headers: [String: String]
    /// The host's name; empty for files and `data:` URLs.
    public let host: String
    /// The index of the manifest's source that lists the item, from 0.
    public let source: Int
    /// The text that changes when the original changes; nil if the source does not report changes.
    public let validator: String?
}

/// Unfinished items, for a forecast.
extension JobReader {
    /// Returns the number of unfinished items of each host, by its name.
    /// - Throws: `JobStoreError`.
    public func unfinishedByHost() throws(JobStoreError) -> [String: Int] {
        try read(
            """
            SELECT h.name, i.count FROM host h JOIN (
                SELECT host_id, count(*) AS count FROM item INDEXED BY item_ready WHERE \(Schema.isReady)
                GROUP BY host_id) i USING (host_id)
            """
        ) { try $0.dictionary { ($0["name"], $0["count"]) } }
    }

    /// Calls `body` with the URL of each unfinished item without a host whose source does not report changes.
    ///
    /// Reads a page at a time.
    /// - Throws: `JobStoreError`.
    public func forEachUnfinishedFile(_ body: (String) -> Void) throws(JobStoreError) {
        let query = """
            SELECT i.item_id, i.url FROM item i
            WHERE i.item_id > ? AND \(Schema.isReady) AND i.validator IS NULL
                AND i.host_id = (SELECT host_id FROM host WHERE name = '')
            ORDER BY i.item_id LIMIT 1000
            """
        try forEachPage(of: query, row: { $0["url"] }, body)
    }

    /// Calls `body` with each unfinished item, reading a page at a time.
    /// - Throws: `JobStoreError`.
    public func forEachUnfinished(_ body: (UnfinishedItem) -> Void) throws(JobStoreError) {
        let query = """
            SELECT i.item_id, i.url, i.headers_json, h.name, i.source, i.validator
            FROM item i JOIN host h USING (host_id)
            WHERE i.item_id > ? AND \(Schema.isReady) ORDER BY i.item_id LIMIT 1000
            """
        let item = { @Sendable (row: Statement) in
            UnfinishedItem(
                url: row["url"],
                headers: [String: String](json: row["headers_json"]),
                host: row["name"],
                source: row["source"],
                validator: row["validator"]
            )
        }
        try forEachPage(of: query, row: item, body)
    }

    /// Returns the cache keys of originals that belong only to items that left the manifest.
    /// - Throws: `JobStoreError`.
    public func unlistedCacheKeys() throws(JobStoreError) -> [String] {
        try read(
            """
            SELECT DISTINCT cache_key FROM item WHERE listed = 0 AND cache_key IS NOT NULL
            EXCEPT SELECT cache_key FROM item WHERE listed = 1
            """
        ) { try $0.scalars() }
    }

    /// Returns the mean size in bytes of originals in the last attempts on record; nil without any.
    /// - Throws: `JobStoreError`.
    public func meanBytes() throws(JobStoreError) -> Double? {
        try read(
            """
            SELECT avg(bytes) FROM (SELECT bytes FROM attempt WHERE outcome = 'done' AND bytes > 0
                ORDER BY item_id DESC LIMIT 10000)
            """
        ) { try $0.scalar() }
    }
}
