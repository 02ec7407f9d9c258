import Files
import Foundation
import SQLite
import Synchronization

/// An output that the manifest asks for, of every item of one source.
public struct OutputRecipe: Hashable, Sendable {
    /// Which of the manifest's sources, from 0.
    public var source: Int
    /// The output's name.
    public var output: String
    /// What shapes its bytes besides the original: a text, such as a hash, that the store only compares.
    public var recipe: String
    /// Whether a file that the state does not know is written over; else such an output is skipped as `OutputResult.exists`.
    public var replacesFiles: Bool

    /// Describes an output of the items of `source`.
    public init(source: Int, output: String, recipe: String, replacesFiles: Bool = true) {
        self.source = source
        self.output = output
        self.recipe = recipe
        self.replacesFiles = replacesFiles
    }
}

/// What a planning found.
public struct PlanCounts: Hashable, Sendable {
    /// The different items that the manifest lists.
    public var items = 0
    /// Those that the store did not know.
    public var new = 0
    /// Those that it knew and that have something to be made again.
    public var changed = 0
    /// Rows that repeat another one.
    public var duplicates = 0
    /// Items of the former revision that the manifest no longer lists.
    public var left = 0
    /// The states of the items, as the run will find them.
    public var states = JobCounts()
}

/// A manifest's rows on their way into the store; nothing of it counts before `finish`.
///
/// A planning that is given up, or that a crash ends, leaves the revision before it in force as it was.
/// Its functions block their thread and are to be called one after the other.
public final class Planning: Sendable {
    /// The rows that go into one transaction: handed over in such numbers, they are not copied on the way.
    public static let chunkSize = 20_000

    private struct State {
        var buffer: [NewItem] = []
        var added = 0
    }

    private let store: JobStore
    private let manifestSHA256: String
    private let manifestJSON: String
    private let lists: String
    private let isFirst: Bool
    private let state = Mutex(State())
    /// Free while no rows are on their way to the database.
    private let written = DispatchSemaphore(value: 1)
    private let failure = Mutex<JobStoreError?>(nil)

    init(store: JobStore, manifestSHA256: String, manifestJSON: String, lists: String) throws(JobStoreError) {
        self.store = store
        self.manifestSHA256 = manifestSHA256
        self.manifestJSON = manifestJSON
        self.lists = lists
        do { try store.database.readNow { try $0.beginBulk() } } catch { throw JobStoreError(error) }
        isFirst = try store.writeNow { connection in
            try FirstPlanning.discard(connection)
            try ChangedPlanning.discard(connection)
            let isFirst = try connection.integer("SELECT NOT EXISTS (SELECT 1 FROM revision)") == 1
            if isFirst { try FirstPlanning.begin(connection) } else { try ChangedPlanning.begin(connection) }
            return isFirst
        }
    }

    /// Adds rows, in the manifest's order; memory stays bounded however many there are.
    /// - Throws: `JobStoreError`.
    public func add(_ items: [NewItem]) throws(JobStoreError) {
        let full = state.withLock { state -> [NewItem] in
            state.added += items.count
            if state.buffer.isEmpty { state.buffer = items } else { state.buffer += items }
            guard state.buffer.count >= Self.chunkSize else { return [] }
            defer { state.buffer = [] }
            return state.buffer
        }
        try insert(full)
    }

    /// Puts the new revision in force: items are added, leave or are put back to pending, all in one transaction.
    ///
    /// An item that is done is put back if it has not been made with one of its source's `recipes`, if its validator
    /// changed or if its placement did, or if it lacks one of `facts`, the names that an item's object is to have. A failed
    /// one is put back if its validator changed or if one of its outputs had failed and has another recipe now.
    /// Facts under other names are forgotten; nil leaves all of them as they are.
    /// - Throws: `JobStoreError`.
    public func finish(recipes: [OutputRecipe], facts: [String]? = nil) throws(JobStoreError) -> PlanCounts {
        let (rest, added) = state.withLock { state in
            defer { state.buffer = [] }
            return (state.buffer, state.added)
        }
        try insert(rest)
        try awaitWrites()
        let (isFirst, manifest, json, lists) = (isFirst, manifestSHA256, manifestJSON, lists)
        let counts = try store.writeNow { connection in
            var counts =
                isFirst
                ? try FirstPlanning.finish(connection, recipes: recipes, added: added)
                : try ChangedPlanning.finish(connection, recipes: recipes, facts: facts, added: added)
            try connection.statement(
                """
                INSERT INTO revision(manifest_sha256, manifest_json, lists_json, items, duplicates, planned_ms)
                VALUES (?, ?, ?, ?, ?, ?)
                """
            ).run(
                .text(manifest),
                .text(json),
                .text(lists),
                Value(counts.items),
                Value(counts.duplicates),
                .integer(JobStore.now)
            )
            if !isFirst { counts.states = try JobReader.counts(connection) }
            return counts
        }
        // A plan that lay in the log alone would be lost with it.
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

    /// Hands rows to the database's thread, which writes them while the caller reads the next ones.
    private func insert(_ items: [NewItem]) throws(JobStoreError) {
        guard !items.isEmpty else { return }
        try awaitWrites()
        let table = isFirst ? "item" : "temp.planned"
        written.wait()
        store.database.write { connection in
            try connection.insert(items, into: table)
        } completion: { [self] result in
            if case .failure(let error) = result { failure.withLock { $0 = JobStoreError(error) } }
            written.signal()
        }
    }

    private func awaitWrites() throws(JobStoreError) {
        written.wait()
        written.signal()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}

extension JobStore {
    /// Begins to plan a manifest: its SHA-256 and text, and the fingerprints of its lists, are kept for `revision`.
    /// - Throws: `JobStoreError`.
    public func beginPlanning(
        manifestSHA256: String,
        manifestJSON: String,
        lists: String
    ) throws(JobStoreError) -> Planning {
        try Planning(store: self, manifestSHA256: manifestSHA256, manifestJSON: manifestJSON, lists: lists)
    }
}

extension Connection {
    /// For many rows, none of which counts before the last: fewer syncs, rarer checkpoints, sorting on another thread, and
    /// no look at the host of each, which was made or found just before.
    ///
    /// Without a sync a power cut takes back commits, and never tears one (https://sqlite.org/wal.html).
    fileprivate func beginBulk() throws(SQLiteError) {
        try execute(
            """
            PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=16384; PRAGMA threads=2;
            PRAGMA foreign_keys=OFF
            """
        )
    }

    fileprivate func endBulk() throws(SQLiteError) {
        try execute(
            """
            PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=1000; PRAGMA threads=0;
            PRAGMA foreign_keys=ON
            """
        )
    }

    fileprivate func insert(_ items: [NewItem], into table: String) throws {
        // Several rows a statement: to begin and to end one takes a quarter of the time of a row.
        let width = 8
        let (many, one) = (try insertion(of: width, into: table), try insertion(of: 1, into: table))
        let (now, digest) = (JobStore.now, RunningDigest())
        // For this transaction only: a rollback would take the ids back.
        var hosts: [String: Int64] = [:]
        var last: (host: String, id: Int64)?
        let firstAlone = items.count - items.count % width
        // By their places, since a copy of each item would count the references of all its texts.
        for index in items.indices {
            if last?.host != items[index].host {
                let host = items[index].host
                let id = try hosts[host] ?? hostID(host)
                hosts[host] = id
                last = (host, id)
            }
            let (statement, row) = index < firstAlone ? (many, index % width) : (one, 0)
            let key = items[index].key(digest)
            try items[index].bind(to: statement, row: row, key: key, hostID: last?.id ?? 0, now: now)
            guard index >= firstAlone || row == width - 1 else { continue }
            while try statement.step() {}
        }
    }

    private func insertion(of rows: Int, into table: String) throws(SQLiteError) -> Statement {
        let row = "(\(Array(repeating: "?", count: NewItem.columnCount).joined(separator: ", ")))"
        let values = Array(repeating: row, count: rows).joined(separator: ", ")
        return try statement("INSERT INTO \(table)(\(NewItem.columns)) VALUES \(values)")
    }

    fileprivate func hostID(_ name: String) throws(SQLiteError) -> Int64 {
        let known = try statement("SELECT host_id FROM host WHERE name = ?").first(.text(name)) {
            $0.integer(0)
        }
        if let known { return known }
        try statement("INSERT INTO host(name) VALUES (?)").run(.text(name))
        return lastInsertRowID
    }

    /// Removes all but the first of equal rows of `table`, which has an index on `item_key`.
    /// - Returns: How many were removed.
    func removeDuplicates(from table: String) throws(SQLiteError) -> Int {
        try execute(
            """
            DELETE FROM \(table) WHERE rowid IN (
                SELECT place FROM (
                    SELECT rowid AS place,
                        row_number() OVER (PARTITION BY item_key, url, headers_json, id ORDER BY ordinal) AS number
                    FROM \(table) WHERE item_key IN (
                        SELECT item_key FROM \(table) GROUP BY item_key HAVING count(*) > 1))
                WHERE number > 1)
            """
        )
        return changes
    }

    /// Makes `recipes` the outputs that are asked for.
    func replaceWanted(_ recipes: [OutputRecipe]) throws(SQLiteError) {
        try execute("DELETE FROM wanted")
        for recipe in recipes {
            try statement("INSERT OR REPLACE INTO wanted(source, name, recipe_id) VALUES (?, ?, ?)")
                .run(Value(recipe.source), .text(recipe.output), .integer(try recipeID(recipe.recipe)))
        }
    }
}
