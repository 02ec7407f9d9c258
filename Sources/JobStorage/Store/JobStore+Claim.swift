import SQLite
import Synchronization

extension JobStore {
    /// Claims up to `limit` items for the run that are ready at `now` (milliseconds since 1970; nil: now, by the store's clock).
    ///
    /// Claims go round the hosts, from where the previous claim stopped, and take a few items of each, so that a list
    /// sorted by host starves no host. Within a host the order is: highest priority, longest wait, manifest's order. At
    /// most `perHost` items are taken of one host, or the number that `room` has for its ID: 0 skips a host.
    /// - Throws: `JobStoreError`; `noRun` before `beginRun`.
    public func claim(
        limit: Int,
        perHost: Int = .max,
        room: [Int64: Int] = [:],
        now: Int64? = nil
    ) async throws(JobStoreError) -> [ClaimedItem] {
        guard limit > 0 else { return [] }
        let run = try currentRun()
        let start = lastHost.withLock { $0 }
        let clock = clock
        let claim = try await write { connection in
            var claim = Claim(
                connection: connection,
                run: run,
                limit: limit,
                perHost: perHost,
                room: room,
                now: now ?? clock.now,
                hasShards: try connection.integer("SELECT EXISTS (SELECT 1 FROM shard)") == 1,
                hasCollisions: try connection.integer("SELECT EXISTS (SELECT 1 FROM collision)") == 1,
                hasDuplicates: try connection.integer("SELECT EXISTS (SELECT 1 FROM duplicate)") == 1
            )
            try claim.take(from: start)
            return (items: claim.items, lastHost: claim.lastHost)
        }
        lastHost.withLock { $0 = claim.lastHost }
        return claim.items
    }

    /// Returns the milliseconds until the next waiting item is due: 0 or less if one is ready already (its host may be
    /// busy), nil if none waits.
    /// - Throws: `JobStoreError`.
    public func timeUntilReady() async throws(JobStoreError) -> Int64? {
        do {
            let clock = clock
            return try await database.read { try Claim.nextReady($0).map { $0 - clock.now } }
        } catch {
            throw JobStoreError(error)
        }
    }
}

/// One claim within its transaction.
///
/// Each query seeks in the index `item_ready`.
private struct Claim {
    /// The most items that are taken of a host at a time.
    private static let share = 8

    let connection: Connection
    let run: Int64
    let limit: Int
    let perHost: Int
    let room: [Int64: Int]
    let now: Int64
    let hasShards: Bool
    let hasCollisions: Bool
    let hasDuplicates: Bool
    var taken: [Int64: Int] = [:]
    var items: [ClaimedItem] = []
    var lastHost: Int64 = 0

    /// Visits all hosts in rounds, from the one after `start`, until the limit is reached or a round finds nothing.
    mutating func take(from start: Int64) throws {
        lastHost = start
        guard let due = try Self.nextReady(connection), due <= now else { return }
        var before: Int
        repeat {
            before = items.count
            let first = lastHost
            try visit(after: first, through: .max)
            try visit(after: .min, through: first)
        } while items.count > before && items.count < limit
    }

    private mutating func visit(after start: Int64, through end: Int64) throws {
        var last = start
        while items.count < limit, let host = try host(after: last), host <= end {
            last = host
            try takeSome(of: host)
        }
    }

    private func host(after last: Int64) throws -> Int64? {
        try connection.statement(
            """
            SELECT host_id FROM item INDEXED BY item_ready
            WHERE \(Schema.isReady) AND host_id > ? ORDER BY host_id LIMIT 1
            """
        ).scalar(last)
    }

    private mutating func takeSome(of host: Int64) throws {
        // A few at a time leave some for the next hosts.
        let share = min(max(1, limit / 4), Self.share, limit - items.count)
        var wanted = min(share, (room[host] ?? perHost) - taken[host, default: 0])
        guard wanted > 0 else { return }
        var above: Int64 = .max
        while wanted > 0, let priority = try priority(of: host, below: above) {
            let found = try ready(host: host, priority: priority, count: wanted)
            if !found.isEmpty { try hold(found) }
            wanted -= found.count
            taken[host, default: 0] += found.count
            if !found.isEmpty { lastHost = host }
            above = priority
        }
    }

    private func priority(of host: Int64, below above: Int64) throws -> Int64? {
        try connection.statement(
            """
            SELECT priority FROM item INDEXED BY item_ready
            WHERE \(Schema.isReady) AND host_id = ? AND priority < ? ORDER BY priority DESC LIMIT 1
            """
        ).scalar(host, above)
    }

    private func ready(host: Int64, priority: Int64, count: Int) throws -> [ClaimedItem] {
        try connection.statement(
            """
            SELECT \(ClaimedItem.columns) FROM item INDEXED BY item_ready
            WHERE \(Schema.isReady) AND host_id = ? AND priority = ? AND not_before_ms <= ?
            ORDER BY not_before_ms, state, item_id LIMIT ?
            """
        ).rows(host, priority, now, count) { ClaimedItem($0) }
    }

    /// Holds as many items as a share has, in one statement: SQLite prepares each to be undone.
    private mutating func hold(_ found: [ClaimedItem]) throws {
        let ids = (0..<Self.share).map { found.indices.contains($0) ? found[$0].itemID : nil }
        try connection.statement(Self.holding).run(with: [run, now] + ids)
        for item in found { try add(item) }
    }

    /// The row of each item has the attempts before this one.
    private static let holding = """
        UPDATE item SET state = 'running', run_id = ?, attempts = attempts + 1, not_before_ms = 0, updated_ms = ?
        WHERE item_id IN (\(Array(repeating: "?", count: share).joined(separator: ", ")))
        """

    private mutating func add(_ item: ClaimedItem) throws {
        var item = item
        // Outputs are recorded at an item's end, which only a new generation leaves; outputs in shards are recorded earlier.
        if item.generation > 0 || hasShards { item.outputs = try connection.outputs(of: item.itemID) }
        if hasCollisions { item.collisions = try connection.collisions(of: item.itemID) }
        if hasDuplicates { item.twin = try Twin.of(item.itemID, connection) }
        items.append(item)
    }

    static func nextReady(_ connection: Connection) throws -> Int64? {
        // Only items in state `retry` have a time; pending ones are ready.
        let isReady = try connection.integer(
            """
            SELECT EXISTS (SELECT 1 FROM item INDEXED BY item_ready WHERE \(Schema.isReady) AND state = 'pending')
            """
        )
        if isReady == 1 { return 0 }
        return try connection.statement(
            "SELECT min(not_before_ms) FROM item INDEXED BY item_retry WHERE listed = 1 AND state = 'retry'"
        ).scalar()
    }
}

extension ClaimedItem {
    static let columns = """
        item_id, ordinal, url, headers_json, id, host_id, source, priority, vars_json, location, validator, \
        generation, attempts, crashes, cache_key, original_sha256, facts, \
        requeued, reported
        """

    /// Reads `columns` of an item before its claim is written.
    init(_ row: Statement) {
        itemID = row["item_id"]
        ordinal = row["ordinal"]
        url = row["url"]
        headersJSON = row["headers_json"]
        id = row["id"]
        hostID = row["host_id"]
        source = row["source"]
        priority = row["priority"]
        varsJSON = row["vars_json"]
        location = row["location"]
        validator = row["validator"]
        generation = row["generation"]
        attempts = row["attempts"] + 1
        crashes = row["crashes"]
        cacheKey = row["cache_key"]
        originalSHA256 = row["original_sha256"]
        facts = row["facts"]
        let words = (row["requeued"] as String?)?.split(separator: " ") ?? []
        requeued = words.first.flatMap { RequeueReason(rawValue: String($0)) }
        // The error of a failure follows the reason.
        hadFailed = words.count > 1 || row["reported"]
    }
}

extension Connection {
    /// Returns the recorded outputs of an item.
    func outputs(of itemID: Int64) throws(SQLiteError) -> [OutputRecord] {
        try statement(
            "SELECT \(OutputRecord.columns) FROM output o JOIN recipe r USING (recipe_id) WHERE o.item_id = ?"
        ).rows(itemID) { OutputRecord($0) }
    }

    /// Returns the outputs of an item that are not made, because earlier rows have their paths.
    func collisions(of itemID: Int64) throws(SQLiteError) -> [ClaimedItem.Collision] {
        try statement("SELECT name, path, owner, is_skipped FROM collision WHERE item_id = ?")
            .rows(itemID) { row in
                ClaimedItem.Collision(
                    output: row["name"],
                    path: row["path"],
                    owner: row["owner"],
                    isSkipped: row["is_skipped"]
                )
            }
    }
}
