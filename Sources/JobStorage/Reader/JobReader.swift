import Files
import SQLite

/// Reads the state of a job, also during a run in another process; it never writes and needs no lock.
///
/// May be used from any thread; each function blocks its thread until SQLite has finished.
public final class JobReader: Sendable {
    private let database: Database

    /// Makes a reader that shares the connection of a store.
    init(_ database: Database) {
        self.database = database
    }

    /// Opens the state at `path`; nil if there is none.
    /// - Throws: `JobStoreError`.
    public init?(path: String) throws(JobStoreError) {
        let file = StateFile(path: path)
        do {
            guard try file.exists else { return nil }
            try file.refuseEmpty()
            try Presence.requireReadable(path)
            database = try Database(path: path, mode: .readOnly) { connection in
                try file.examine(connection)
                guard try file.version(connection) == Schema.migrations.count else {
                    throw JobStoreError.older(path: path)
                }
            }
        } catch {
            throw JobStoreError(reading: error)
        }
    }

    /// Returns the manifest that was planned last; nil if none was.
    /// - Throws: `JobStoreError`.
    public func revision() throws(JobStoreError) -> Revision? {
        try read { try Self.revision($0) }
    }

    /// Returns the number of listed items in each state: fast even for millions, since finished items are not read.
    /// - Throws: `JobStoreError`.
    public func counts() throws(JobStoreError) -> JobCounts {
        try read { try Self.counts($0) }
    }

    /// Returns true if a listed item has a URL of one of `schemes`; reads the table of items until it meets one.
    /// - Throws: `JobStoreError`.
    public func hasItems(ofSchemes schemes: Set<String>) throws(JobStoreError) -> Bool {
        try read { connection in
            let statement = try connection.statement(
                "SELECT EXISTS (SELECT 1 FROM item WHERE listed = 1 AND url LIKE ? || ':%')"
            )
            return try schemes.contains { try statement.scalar($0) == true }
        }
    }

    /// Returns the number of failed and quarantined items by error name.
    /// - Throws: `JobStoreError`.
    public func failures() throws(JobStoreError) -> [String: Int] {
        try read { connection in
            guard try Self.revision(connection) != nil else { return [:] }
            return try connection.statement(
                """
                SELECT error, count(*) AS count FROM item INDEXED BY item_problem
                WHERE \(Schema.isProblem) AND state <> 'skipped' GROUP BY error
                """
            ).dictionary { ($0["error"], $0["count"]) }
        }
    }

    /// Returns up to `limit` listed items that fit `filter`, in the manifest's order, after `last` (nil: from the start).
    ///
    /// With `withAttempts`, each item has its newest attempt.
    /// - Throws: `JobStoreError`.
    public func items(
        _ filter: ItemFilter = ItemFilter(),
        after last: ItemRecord? = nil,
        limit: Int = 1000,
        withAttempts: Bool = false
    ) throws(JobStoreError) -> [ItemRecord] {
        let index = filter.concernsProblems ? "item_problem" : "item_by_ordinal"
        let scope = filter.concernsProblems ? Schema.isProblem : "listed = 1"
        return try read { connection in
            guard try Self.revision(connection) != nil else { return [] }
            let statement = try connection.statement(
                """
                SELECT \(ItemRecord.columns) FROM item INDEXED BY \(index)
                WHERE \(scope) AND (ordinal, item_id) > (?4, ?5) AND \(ItemFilter.condition)
                ORDER BY ordinal, item_id LIMIT ?6
                """
            )
            let position: [any StoredValue] = [last?.ordinal ?? .min, last?.itemID ?? .min, limit]
            var items = try statement.rows(with: filter.values + position) { ItemRecord($0) }
            for index in items.indices {
                items[index].outputs = try Self.outputs(of: items[index], connection)
                items[index].twin = try Self.twin(of: items[index], connection)
                guard withAttempts else { continue }
                items[index].lastAttempt = try Self.attempts(of: items[index].itemID, limit: 1, connection)
                    .last
            }
            return items
        }
    }

    /// Calls `body` with each listed item that fits `filter`, in the manifest's order.
    ///
    /// Reads a page at a time, so that a slow `body` does not keep a run from emptying its write-ahead log. With
    /// `withAttempts`, each item has its newest attempt.
    /// - Throws: `JobStoreError`, or what `body` throws.
    public func forEachItem(
        _ filter: ItemFilter = ItemFilter(),
        withAttempts: Bool = false,
        _ body: (ItemRecord) throws -> Void
    ) throws {
        var page = try items(filter, withAttempts: withAttempts)
        while let last = page.last {
            for item in page { try body(item) }
            page = try items(filter, after: last, withAttempts: withAttempts)
        }
    }

    /// Calls `body` with each row of a query that returns the next items behind an ID, with their `item_id`.
    func forEachPage<Row: Sendable>(
        of query: String,
        row: @escaping @Sendable (Statement) -> Row,
        _ body: (Row) -> Void
    ) throws(JobStoreError) {
        var pages = RowPages(
            reader: self,
            query: query,
            row: { ($0["item_id"] as Int64, row($0)) },
            position: { [$0.0] },
            last: [Int64.min]
        )
        while let page = try pages.next() {
            for (_, row) in page { body(row) }
        }
    }

    /// Returns the start of the first run, in milliseconds since 1970; nil before it.
    /// - Throws: `JobStoreError`.
    public func firstRunStart() throws(JobStoreError) -> Int64? {
        try read("SELECT min(started_ms) FROM run") { try $0.scalar() }
    }

    /// Returns the last `limit` runs, newest first.
    /// - Throws: `JobStoreError`.
    public func runs(limit: Int = 10) throws(JobStoreError) -> [RunRecord] {
        try read(
            """
            SELECT run_id, version, pid, host, started_ms, ended_ms, exit, counters_json, stopped, changes,
                refused, refused_ms
            FROM run ORDER BY run_id DESC LIMIT ?
            """
        ) {
            try $0.rows(limit) { row in
                RunRecord(
                    runID: row["run_id"],
                    version: row["version"],
                    processID: Int32(truncatingIfNeeded: row["pid"] as Int64),
                    host: row["host"],
                    started: row["started_ms"],
                    ended: row["ended_ms"],
                    exit: row["exit"],
                    countersJSON: row["counters_json"],
                    stopped: row["stopped"],
                    changesJSON: row["changes"],
                    refused: row["refused"],
                    lastRefused: row["refused_ms"]
                )
            }
        }
    }

    /// Returns the hosts about which rate limiting has learned anything.
    /// - Throws: `JobStoreError`.
    public func hosts() throws(JobStoreError) -> [HostRecord] {
        try read(
            """
            SELECT host_id, name, rate, not_before_ms, fail_streak, breaker FROM host
            WHERE rate IS NOT NULL OR not_before_ms > 0 OR fail_streak > 0
                OR breaker IS NOT NULL
            """
        ) {
            try $0.rows { row in
                HostRecord(name: row["name"], rate: row["rate"]) {
                    $0.hostID = row["host_id"]
                    $0.notBefore = row["not_before_ms"]
                    $0.failStreak = row["fail_streak"]
                    $0.breaker = row["breaker"]
                }
            }
        }
    }

    static func revision(_ connection: Connection) throws -> Revision? {
        try connection.statement(
            """
            SELECT revision_id, manifest_sha256, lists_json, items, duplicates, planned_ms FROM revision
            ORDER BY revision_id DESC LIMIT 1
            """
        ).first { row in
            Revision(
                revisionID: row["revision_id"],
                manifestSHA256: row["manifest_sha256"],
                lists: row["lists_json"],
                items: row["items"],
                duplicates: row["duplicates"],
                planned: row["planned_ms"]
            )
        }
    }

    static func counts(_ connection: Connection) throws -> JobCounts {
        guard let revision = try revision(connection) else { return JobCounts() }
        var counts: [ItemState: Int] = [:]
        // Most waiting items are pending: to count the entries of two indexes is faster than to read their states.
        let retry = try count(connection, index: "item_retry", where: "listed = 1 AND state = 'retry'")
        counts[.retry] = retry
        counts[.pending] = try count(connection, index: "item_ready", where: Schema.isReady) - retry
        counts[.running] = try count(
            connection,
            index: "item_held",
            where: "run_id IS NOT NULL AND listed = 1"
        )
        // Sums, since GROUP BY would sort the rows.
        let problems: [ItemState: Int]? = try connection.statement(
            """
            SELECT sum(state = 'skipped') AS skipped, sum(state = 'failed') AS failed,
                sum(state = 'quarantined') AS quarantined
            FROM item INDEXED BY item_problem WHERE \(Schema.isProblem)
            """
        ).first { row in
            [.skipped: row["skipped"], .failed: row["failed"], .quarantined: row["quarantined"]]
        }
        counts.merge(problems ?? [:]) { $1 }
        counts[.done] = revision.items - counts.values.reduce(0, +)
        return JobCounts(counts.filter { $0.value > 0 })
    }

    private static func count(
        _ connection: Connection,
        index: String,
        where condition: String
    ) throws -> Int {
        Int(try connection.integer("SELECT count(*) FROM item INDEXED BY \(index) WHERE \(condition)"))
    }

    static func outputs(of item: ItemRecord, _ connection: Connection) throws -> [OutputRecord] {
        try connection.statement(
            """
            SELECT \(OutputRecord.columns) FROM output o JOIN recipe r USING (recipe_id)
                JOIN wanted w ON w.source = ?2 AND w.name = o.name AND w.recipe_id = o.recipe_id
            WHERE o.item_id = ?1 ORDER BY o.name
            """
        ).rows(item.itemID, item.source) { OutputRecord($0) }
    }

    /// Runs a query, whose rows `work` reads.
    func read<Result: Sendable>(
        _ sql: String,
        _ work: @escaping @Sendable (Statement) throws -> Result
    ) throws(JobStoreError) -> Result {
        try read { try work($0.statement(sql)) }
    }

    func read<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) throws(JobStoreError) -> Result {
        do {
            return try database.readNow { connection in
                // One snapshot for all statements, also during a run in another process.
                try connection.execute("BEGIN")
                defer { try? connection.execute("COMMIT") }
                return try work(connection)
            }
        } catch {
            throw JobStoreError(error)
        }
    }
}
