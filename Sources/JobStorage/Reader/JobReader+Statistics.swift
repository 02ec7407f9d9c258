import SQLite

/// The number of items of a host that failed with an error.
public struct HostFailures: Hashable, Sendable {
    /// The host; empty for files and `data:` URLs.
    public let host: String
    /// The error's name.
    public let error: String
    /// The number of items.
    public let count: Int
}

/// The totals of all outputs with one name.
public struct OutputTotals: Hashable, Sendable {
    /// The output's name.
    public let name: String
    /// The number of outputs in each state.
    public internal(set) var made = 0, skipped = 0, failed = 0
    /// The size of all that were made, in bytes.
    public internal(set) var bytes = 0
    /// The number of those that were made by their file format, such as `webp`, where it is recorded.
    public internal(set) var formats: [String: Int] = [:]
}

/// The sizes of originals and of all outputs made of them.
public struct SizeComparison: Hashable, Sendable {
    /// The number of originals of which an output was made.
    public var items = 0
    /// The size of these originals in bytes, as last loaded.
    public var before = 0
    /// The size of their outputs in bytes.
    public var after = 0

    /// Compares nothing.
    public init() {}
}

/// Statistics of a whole job; each function reads a whole table and keeps no rows.
extension JobReader {
    /// Returns the first failed and quarantined items, in the manifest's order.
    /// - Throws: `JobStoreError`.
    public func failedItems(limit: Int) throws(JobStoreError) -> [ItemRecord] {
        try read { connection in
            guard try Self.revision(connection) != nil else { return [] }
            return try connection.statement(
                """
                SELECT \(ItemRecord.columns) FROM item INDEXED BY item_problem
                WHERE \(Schema.isProblem) AND state <> 'skipped' ORDER BY ordinal LIMIT ?
                """
            ).rows(limit) { ItemRecord($0) }
        }
    }

    /// Returns the number of failed and quarantined items by host and error, largest first.
    /// - Throws: `JobStoreError`.
    public func failuresByHost(limit: Int) throws(JobStoreError) -> [HostFailures] {
        try read { connection in
            guard try Self.revision(connection) != nil else { return [] }
            return try connection.statement(
                """
                SELECT h.name, i.error, count(*) AS count FROM item i INDEXED BY item_problem
                JOIN host h USING (host_id) WHERE \(Schema.isProblem) AND i.state <> 'skipped'
                GROUP BY i.host_id, i.error ORDER BY 3 DESC, 1, 2 LIMIT ?
                """
            ).rows(limit) { row in
                HostFailures(host: row["name"], error: row["error"], count: row["count"])
            }
        }
    }

    /// Returns the totals of the outputs that the manifest asks for, by name.
    /// - Throws: `JobStoreError`.
    public func outputTotals() throws(JobStoreError) -> [OutputTotals] {
        try read { connection in
            let rows = try connection.statement(
                """
                SELECT o.name, o.format, sum(o.state = 'done') AS made, sum(o.state = 'skipped') AS skipped,
                    sum(o.state = 'failed') AS failed, sum(o.bytes) FILTER (WHERE o.state = 'done') AS bytes
                \(Self.wantedOutputs) GROUP BY o.name, o.format
                """
            ).rows { row in
                var totals = OutputTotals(name: row["name"])
                (totals.made, totals.bytes) = (row["made"], row["bytes"])
                (totals.skipped, totals.failed) = (row["skipped"], row["failed"])
                let format: String? = row["format"]
                if let format, totals.made > 0 { totals.formats = [format: totals.made] }
                return totals
            }
            return OutputTotals.sums(rows)
        }
    }

    /// Compares the outputs that the manifest asks for with their originals, each of which counts once.
    /// - Throws: `JobStoreError`.
    public func sizeComparison() throws(JobStoreError) -> SizeComparison {
        try read(
            """
            SELECT count(*) AS items, sum(before) AS before, sum(after) AS after FROM (
                SELECT sum(o.bytes) AS after, (
                    SELECT a.bytes FROM attempt a WHERE a.item_id = o.item_id AND a.bytes IS NOT NULL
                    ORDER BY a.n DESC LIMIT 1) AS before
                \(Self.wantedOutputs) AND o.state = 'done' GROUP BY o.item_id)
            WHERE before IS NOT NULL
            """
        ) {
            try $0.first { row in
                var comparison = SizeComparison()
                (comparison.items, comparison.before, comparison.after) =
                    (row["items"], row["before"], row["after"])
                return comparison
            } ?? SizeComparison()
        }
    }

    /// Returns the listed items with the largest originals and the size of those in bytes, largest first.
    /// - Throws: `JobStoreError`.
    public func largestItems(limit: Int) throws(JobStoreError) -> [(item: ItemRecord, bytes: Int)] {
        try read { connection in
            let sizes = try connection.statement(
                """
                SELECT a.item_id, a.bytes, max(a.n) FROM attempt a JOIN item i USING (item_id)
                WHERE a.bytes IS NOT NULL AND i.listed = 1
                GROUP BY a.item_id ORDER BY 2 DESC, 1 LIMIT ?
                """
            ).rows(limit) { ($0["item_id"] as Int64, $0["bytes"] as Int) }
            return try sizes.compactMap { id, bytes in
                try Self.firstItem(where: "item_id = ?", id, connection)
                    .map { ($0, bytes) }
            }
        }
    }

    /// Returns up to `count` items that are done, spread evenly over the manifest.
    /// - Throws: `JobStoreError`.
    public func sample(count: Int) throws(JobStoreError) -> [ItemRecord] {
        try read { connection in
            guard let revision = try Self.revision(connection), count > 0 else { return [] }
            let last =
                try connection.statement(
                    "SELECT max(ordinal) FROM item INDEXED BY item_by_ordinal WHERE listed = 1"
                ).scalar() ?? revision.items
            var found: [ItemRecord] = []
            for number in 0..<count {
                // The first item from each position on that is done and not taken yet.
                let position = max(1 + number * last / count, (found.last?.ordinal ?? 0) + 1)
                let condition = "listed = 1 AND ordinal >= ? AND state = 'done'"
                guard let item = try Self.firstItem(where: condition, position, connection) else { break }
                found.append(item)
            }
            return found
        }
    }

    /// Returns the first item in the manifest's order that meets a condition with one parameter.
    private static func firstItem(
        where condition: String,
        _ value: any StoredValue,
        _ connection: Connection
    ) throws -> ItemRecord? {
        let found = try connection.statement(
            "SELECT \(ItemRecord.columns) FROM item WHERE \(condition) ORDER BY ordinal, item_id LIMIT 1"
        ).first(value) { ItemRecord($0) }
        guard var item = found else { return nil }
        item.outputs = try outputs(of: item, connection)
        return item
    }

    static let wantedOutputs = """
        FROM output o JOIN item i USING (item_id)
        JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
        WHERE i.listed = 1
        """
}

extension JobReader.Measure {
    static let time = "coalesce(dns_us, 0) + coalesce(connect_us, 0) + wait_us + receive_us"
}
