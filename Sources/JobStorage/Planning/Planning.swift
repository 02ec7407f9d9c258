import Foundation
import SQLite
import Synchronization

/// Stores a manifest's rows; nothing of it takes effect before `finish`.
///
/// After a planning that is abandoned or ends with a crash, the previous revision stays in force.
/// The functions block their thread and must be called one after the other.
public final class Planning: Sendable {
    /// The least number of rows in one transaction, but for the last.
    public static let chunkSize = 10_000

    private struct State {
        var buffer: [NewItems] = []
        var buffered = 0
        var added = 0
    }

    private let store: JobStore
    private let manifestSHA256: String
    private let isFirst: Bool
    private let state = Mutex(State())
    /// The transactions that may be handed to the database: with a second one its thread never waits for rows.
    private static let mostWrites = 2
    /// A signal for each transaction that may be handed over.
    private let writes = DispatchSemaphore(value: mostWrites)
    private let failure = Mutex<JobStoreError?>(nil)

    init(store: JobStore, manifestSHA256: String) throws(JobStoreError) {
        self.store = store
        self.manifestSHA256 = manifestSHA256
        do { try store.database.readNow { try $0.beginBulk() } } catch { throw JobStoreError(error) }
        isFirst = try store.writeNow { connection in
            try WaitingIndexes.discardPlanning(connection)
            try ChangedPlanning.discard(connection)
            try CollisionPlanning.discard(connection)
            try CollisionPlanning.begin(connection)
            let isFirst = try connection.integer("SELECT NOT EXISTS (SELECT 1 FROM revision)") == 1
            if isFirst { try FirstPlanning.begin(connection) } else { try ChangedPlanning.begin(connection) }
            return isFirst
        }
    }

    /// Adds rows in the manifest's order; memory use does not grow with their number.
    /// - Throws: `JobStoreError`.
    public func add(_ items: NewItems) throws(JobStoreError) {
        guard items.count > 0 else { return }
        let full = state.withLock { state -> [NewItems] in
            state.added += items.count
            state.buffered += items.count
            state.buffer.append(items)
            guard state.buffered >= Self.chunkSize else { return [] }
            defer { (state.buffer, state.buffered) = ([], 0) }
            return state.buffer
        }
        try insert(full)
    }

    /// Adds rows as above, which it packs.
    /// - Throws: `JobStoreError`.
    public func add(_ items: [NewItem]) throws(JobStoreError) {
        try add(NewItems(items))
    }

    /// Adds outputs that are not made, because earlier rows have their paths; their rows may be missing.
    /// - Throws: `JobStoreError`.
    public func block(_ outputs: [BlockedOutput]) throws(JobStoreError) {
        guard !outputs.isEmpty else { return }
        try store.writeNow { try CollisionPlanning.add(outputs, $0) }
    }

    /// Puts the new revision in force: adds, removes and requeues items, all in one transaction.
    ///
    /// A finished item is requeued if it lacks an output of its source's `recipes` or one of `facts` (names), or if its
    /// validator, placement or collisions changed. A failed item is requeued if its validator changed, or if one of its outputs failed
    /// and has another recipe now. Facts under other names are forgotten, but for those of `unasked` that are not null; with nil, all
    /// facts stay. `lists` are the fingerprints of the manifest's lists, which are kept for `revision`.
    /// - Throws: `JobStoreError`.
    public func finish(
        lists: String,
        recipes: [OutputRecipe],
        facts: [String]? = nil,
        unasked: [String] = []
    ) throws(JobStoreError) -> PlanCounts {
        let (rest, added) = state.withLock { state in
            defer { (state.buffer, state.buffered) = ([], 0) }
            return (state.buffer, state.added)
        }
        try insert(rest)
        try awaitWrites()
        let (isFirst, manifest) = (isFirst, manifestSHA256)
        let counts = try store.writeNow { connection in
            var counts =
                isFirst
                ? try FirstPlanning.finish(connection, recipes: recipes, added: added)
                : try ChangedPlanning.finish(
                    connection,
                    recipes: recipes,
                    facts: facts,
                    unasked: unasked,
                    added: added
                )
            try connection.statement(
                """
                INSERT INTO revision(manifest_sha256, lists_json, items, duplicates, planned_ms)
                VALUES (?, ?, ?, ?, ?)
                """
            ).run(manifest, lists, counts.items, counts.duplicates, JobStore.now)
            counts.isFirst = isFirst
            if !isFirst { counts.states = try JobReader.counts(connection) }
            return counts
        }
        // A plan in the write-ahead log alone would be lost with it.
        do {
            try store.database.readNow { connection in
                try connection.endBulk()
                try connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
            }
        } catch {
            throw JobStoreError(error)
        }
        return counts
    }

    /// Removes what was added; the previous revision stays in force.
    /// - Throws: `JobStoreError`.
    public func abandon() throws(JobStoreError) {
        try awaitWrites()
        try store.writeNow { connection in
            try WaitingIndexes.discardPlanning(connection)
            try ChangedPlanning.discard(connection)
            try CollisionPlanning.discard(connection)
        }
        do { try store.database.readNow { try $0.endBulk() } } catch { throw JobStoreError(error) }
    }

    /// Passes rows to the database's thread, which writes them while the caller reads the next ones.
    private func insert(_ chunks: [NewItems]) throws(JobStoreError) {
        guard !chunks.isEmpty else { return }
        let isFirst = isFirst
        writes.wait()
        if let failure = failure.withLock({ $0 }) {
            writes.signal()
            throw failure
        }
        // Urgent, as its thread has nothing else to do.
        store.database.write(isUrgent: true) { connection in
            let order = try connection.insert(chunks, into: isFirst ? "item" : "temp.planned")
            if isFirst, !order.isGrouped { try FirstPlanning.postponeReadyIndex(connection) }
        } completion: { [self] result in
            if case .failure(let error) = result { failure.withLock { $0 = JobStoreError(error) } }
            writes.signal()
        }
    }

    private func awaitWrites() throws(JobStoreError) {
        for _ in 0..<Self.mostWrites { writes.wait() }
        for _ in 0..<Self.mostWrites { writes.signal() }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension JobStore {
    /// Begins to plan a manifest; its SHA-256 is kept for `revision`.
    /// - Throws: `JobStoreError`.
    public func beginPlanning(manifestSHA256: String) throws(JobStoreError) -> Planning {
        try Planning(store: self, manifestSHA256: manifestSHA256)
    }

    /// Records the parts of recipes that an earlier release planned without them, so that a later change can be told.
    /// - Throws: `JobStoreError`.
    public func recordParts(of recipes: [OutputRecipe]) throws(JobStoreError) {
        guard !recipes.isEmpty else { return }
        try writeNow { connection in
            for recipe in recipes { _ = try connection.recipeID(recipe) }
        }
    }
}

/// The order of the rows of a transaction, as the index `item_ready` sees it.
private struct RowOrder {
    private(set) var rows = 0
    /// The number of times that another host or priority came.
    private var groups = 0
    private var last: (hostID: Int64, priority: Int)?

    mutating func add(hostID: Int64, priority: Int) {
        rows += 1
        if let last, last == (hostID, priority) { return }
        groups += 1
        last = (hostID, priority)
    }

    /// True if most rows follow one of their own host and priority, so that they are next to each other in the index.
    var isGrouped: Bool { groups * 16 <= rows + 16 }
}

extension Connection {
    /// Prepares for many rows, none of which takes effect before the last: fewer syncs and checkpoints, sorting on another
    /// thread, and no check of each row's host, which was inserted or found just before.
    ///
    /// Without a sync a power cut can undo commits, but never splits one (https://sqlite.org/wal.html).
    func beginBulk() throws(SQLiteError) {
        try execute(
            """
            PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=16384; PRAGMA threads=2;
            PRAGMA foreign_keys=OFF
            """
        )
    }

    func endBulk() throws(SQLiteError) {
        try FirstPlanning.checkConstraints(true, self)
        try execute(
            """
            PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000; PRAGMA threads=0;
            PRAGMA foreign_keys=ON
            """
        )
    }

    /// - Returns: The order in which the rows came.
    fileprivate func insert(_ chunks: [NewItems], into table: String) throws -> RowOrder {
        // Many rows per statement: to begin and end one takes the time of several rows, and the positions in the table and
        // in its indexes are lost.
        let width = 100
        let (many, one) = (try insertion(of: width, into: table), try insertion(of: 1, into: table))
        let now = JobStore.now
        // For this transaction only: a rollback would remove the hosts again.
        var hosts: [String: Int64] = [:]
        var order = RowOrder()
        let count = chunks.reduce(0) { $0 + $1.count }
        let firstAlone = count - count % width
        for chunk in chunks {
            let hostIDs = try chunk.hosts.map { host in
                let id = try hosts[host] ?? hostID(host)
                hosts[host] = id
                return id
            }
            // By index, since a copy of the chunk in an iterator would count its references.
            for index in chunk.rows.indices {
                let isAlone = order.rows >= firstAlone
                let (statement, slot) = isAlone ? (one, 0) : (many, order.rows % width)
                let (hostID, priority) = (hostIDs[chunk.rows[index].host], chunk.rows[index].priority)
                try chunk.bind(index, to: statement, slot: slot, hostID: hostID, now: now)
                order.add(hostID: hostID, priority: priority)
                guard isAlone || slot == width - 1 else { continue }
                while try statement.step() {}
            }
        }
        return order
    }

    private func insertion(of rows: Int, into table: String) throws(SQLiteError) -> Statement {
        let row = "(\(Array(repeating: "?", count: NewItems.columnCount).joined(separator: ", ")))"
        let values = Array(repeating: row, count: rows).joined(separator: ", ")
        return try statement("INSERT INTO \(table)(\(NewItems.columns)) VALUES \(values)")
    }

    fileprivate func hostID(_ name: String) throws(SQLiteError) -> Int64 {
        let known = try statement("SELECT host_id FROM host WHERE name = ?")
        if let id: Int64 = try known.scalar(name) { return id }
        try statement("INSERT INTO host(name) VALUES (?)").run(name)
        return lastInsertRowID
    }

    /// Removes all but the first of equal rows of `table`, which has an index on `item_key`.
    /// - Returns: The number of removed rows.
    func removeDuplicates(from table: String) throws(SQLiteError) -> Int {
        try execute(
            """
            DELETE FROM \(table) WHERE rowid IN (
                SELECT repeated FROM (
                    SELECT rowid AS repeated,
                        row_number() OVER (PARTITION BY item_key, url, headers_json, id ORDER BY ordinal) AS number
                    FROM \(table) WHERE item_key IN (
                        SELECT item_key FROM \(table) GROUP BY item_key HAVING count(*) > 1))
                WHERE number > 1)
            """
        )
        return changes
    }

    /// Makes `recipes` the outputs that the manifest asks for.
    func replaceWanted(_ recipes: [OutputRecipe]) throws(SQLiteError) {
        try execute("DELETE FROM wanted")
        for recipe in recipes {
            try statement("INSERT OR REPLACE INTO wanted(source, name, recipe_id) VALUES (?, ?, ?)")
                .run(recipe.source, recipe.output, try recipeID(recipe))
        }
    }
}
