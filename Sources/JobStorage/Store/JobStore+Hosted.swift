import SQLite

/// An item as it was planned, with its host.
package struct HostedItem: Sendable {
    fileprivate let itemID: Int64
    /// The row as it was planned; its location is not read.
    package let item: NewItem
    /// The outputs that are not made, because an earlier row has their paths.
    package fileprivate(set) var blocked: [BlockedOutput] = []

    fileprivate init(_ row: Statement) {
        itemID = row["item_id"]
        let location: String = row["location"]
        let message: String = row["message"]
        item = NewItem(ordinal: row["ordinal"], url: row["url"], id: row["id"], host: row["host"]) {
            $0.headersJSON = row["headers_json"]
            $0.priority = row["priority"]
            $0.source = row["source"]
            $0.varsJSON = row["vars_json"]
            $0.location = location
            $0.validator = row["validator"]
            $0.problem = (row["error"] as String?).map { error in
                // The list and line are told by whoever reads the row again.
                let prefix = location + ": "
                let text = message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message
                return RecordedError(code: error, message: text)
            }
        }
    }
}

/// The items of a planned state, host by host.
extension JobStore {
    /// Prepares a state that is thrown away afterwards for `hostedItems(after:)`: orders its hosts by the bytes of their names.
    /// - Throws: `JobStoreError`.
    package func orderByHost() throws(JobStoreError) {
        try writeNow { connection in
            try connection.execute(
                """
                CREATE INDEX item_by_host ON item(host_id, ordinal) WHERE listed = 1;
                CREATE TABLE host_order(rank INTEGER PRIMARY KEY, host_id INTEGER NOT NULL, name TEXT NOT NULL, items INTEGER NOT NULL);
                INSERT INTO host_order(host_id, name, items)
                    SELECT h.host_id, h.name, n.items FROM host h JOIN (
                        SELECT host_id, count(*) AS items FROM item INDEXED BY item_by_host WHERE listed = 1 GROUP BY host_id
                    ) n USING (host_id) ORDER BY h.name
                """
            )
        }
    }

    /// Returns the next hosts with the number of their items, in the order of their names, behind a rank; empty after the last.
    /// - Throws: `JobStoreError`.
    package func hosts(after rank: Int) throws(JobStoreError) -> [(rank: Int, name: String, items: Int)] {
        try reader.read { connection in
            try connection.statement(
                "SELECT rank, name, items FROM host_order WHERE rank > ? ORDER BY rank LIMIT 10000"
            ).rows(rank) { ($0["rank"], $0["name"], $0["items"]) }
        }
    }

    /// Returns the next items, host by host and in their order, behind an item of a host; empty after the last.
    /// - Throws: `JobStoreError`.
    package func hostedItems(
        after last: (rank: Int, ordinal: Int)
    ) throws(JobStoreError) -> [(rank: Int, item: HostedItem)] {
        let (rank, ordinal) = last
        return try reader.read { connection in
            let hasBlocked = try connection.integer("SELECT EXISTS (SELECT 1 FROM collision)") == 1
            var rows: [(rank: Int, item: HostedItem)] = try connection.statement(
                Self.page("o.rank = ?1 AND i.ordinal > ?3")
            ).rows(rank, Self.pageCount, ordinal) { ($0["rank"], HostedItem($0)) }
            if rows.count < Self.pageCount {
                rows += try connection.statement(Self.page("o.rank > ?1")).rows(
                    rank,
                    Self.pageCount - rows.count
                ) { ($0["rank"], HostedItem($0)) }
            }
            guard hasBlocked else { return rows }
            for index in rows.indices {
                rows[index].item.blocked = try Self.blocked(rows[index].item, connection)
            }
            return rows
        }
    }

    private static let pageCount = 10_000

    private static func page(_ condition: String) -> String {
        """
        SELECT o.rank, o.name AS host, i.item_id, i.ordinal, i.url, i.headers_json, i.id, i.priority,
            i.source, i.vars_json, i.location, i.validator,
            CASE i.state WHEN 'failed' THEN i.error END AS error, i.message
        FROM host_order o CROSS JOIN item i INDEXED BY item_by_host ON i.host_id = o.host_id AND i.listed = 1
        WHERE \(condition) ORDER BY o.rank, i.ordinal LIMIT ?2
        """
    }

    private static func blocked(_ row: HostedItem, _ connection: Connection) throws -> [BlockedOutput] {
        try connection.statement(
            "SELECT name, path, is_skipped FROM collision WHERE item_id = ? ORDER BY name"
        )
        .rows(row.itemID) {
            BlockedOutput(
                ordinal: row.item.ordinal,
                output: $0["name"],
                path: $0["path"],
                owner: 0,
                isSkipped: $0["is_skipped"]
            )
        }
    }
}
