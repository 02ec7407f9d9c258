import Files
import Foundation
import SQLite

/// The result of a rebuild.
public struct RebuiltState: Sendable {
    /// The path to which the damaged file was moved.
    public let aside: String
    /// The number of recovered items and of their outputs.
    public internal(set) var items = 0, outputs = 0
}

extension JobStore {
    /// Makes a new state from the readable part of the damaged one at `path`, which is kept under another name.
    ///
    /// `check` is called with each readable item and returns it without the parts that are wrong, or nil to drop it.
    /// Recovered items look as if an earlier manifest had asked for them, so that a planning finds what is still wanted,
    /// missing or new. The network log, runs, attempts and what was learned about hosts are not recovered.
    /// - Throws: `JobStoreError`, also for what `check` throws; the damaged state stays unchanged.
    public static func rebuild(
        path: String,
        check: @escaping @Sendable (SalvagedItem) throws -> SalvagedItem?
    ) throws(JobStoreError) -> RebuiltState {
        let file = StateFile(path: path)
        try file.prepareFolder()
        let lock = try file.lock()
        defer { withExtendedLifetime(lock) {} }
        let time = Date().formatted(
            .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
                .timeSeparator(.omitted)
        )
        let draft = StateFile(path: path + ".rebuilt")
        do {
            try draft.remove()
            try draft.create()
            var rebuilt = RebuiltState(aside: "\(path).damaged-\(time)")
            let database = try Database(path: draft.path)
            do {
                (rebuilt.items, rebuilt.outputs) = try database.writeNow { connection in
                    try takeOver(StateSalvage(path: path), into: connection, check)
                }
                try database.closeWhole()
            } catch {
                database.close()
                throw error
            }
            // What is damaged may be in the log alone: the three belong together.
            for ending in ["-wal", "-shm", ""] where try Presence.exists(path + ending) {
                try FileManager.default.moveItem(atPath: path + ending, toPath: rebuilt.aside + ending)
            }
            try FileManager.default.moveItem(atPath: draft.path, toPath: path)
            try file.syncFolder()
            return rebuilt
        } catch let error as JobStoreError {
            throw error
        } catch let error as SQLiteError {
            throw JobStoreError(error)
        } catch let error as FileError {
            throw JobStoreError(error)
        } catch {
            throw .notWritable(path: path, detail: error.localizedDescription)
        }
    }

    private static func takeOver(
        _ salvage: StateSalvage?,
        into connection: Connection,
        _ check: (SalvagedItem) throws -> SalvagedItem?
    ) throws -> (items: Int, outputs: Int) {
        var (items, outputs) = (0, 0)
        try connection.execute("INSERT INTO host(name) VALUES ('')")
        let host = connection.lastInsertRowID
        try salvage?.forEach { found in
            guard let item = try check(found) else { return }
            try connection.execute("SAVEPOINT item")
            do {
                outputs += try insert(item, host: host, connection)
                items += 1
            } catch let error as SQLiteError where error.isConstraint {
                // A row that violates a constraint is damaged as well.
                try connection.execute("ROLLBACK TO item")
            }
            try connection.execute("RELEASE item")
        }
        guard items > 0 else { return (0, 0) }
        try connection.statement(
            """
            INSERT INTO revision(manifest_sha256, lists_json, items, planned_ms) VALUES ('', '', ?, ?)
            """
        ).run(items, now)
        return (items, outputs)
    }

    /// Inserts an item with its outputs.
    /// - Returns: The number of outputs.
    private static func insert(_ item: SalvagedItem, host: Int64, _ connection: Connection) throws -> Int {
        let record = item.record
        // A pending item has no error and all its attempts.
        let end: [any StoredValue] =
            item.state == .pending
            ? [Value.null, Value.null, 0] : [record.error, record.message, record.attempts]
        let statement = try connection.statement(
            """
            INSERT INTO item(item_key, ordinal, host_id, source, priority, state, url, headers_json, id,
                vars_json, location, validator, placement, cache_key, original_sha256, facts, updated_ms,
                error, message, attempts)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        let row: [any StoredValue] = [
            item.key, record.ordinal, host, record.source, record.priority, item.state.rawValue, record.url,
            record.headersJSON, record.id, record.varsJSON, record.location, item.validator, item.placement,
            record.cacheKey, record.originalSHA256, record.facts, record.updated,
        ]
        try statement.run(with: row + end)
        let itemID = connection.lastInsertRowID
        for (output, time) in item.outputs {
            try connection.insert(output, of: itemID, at: time, replacing: false)
        }
        return item.outputs.count
    }
}

extension SalvagedItem {
    /// Returns the item with only the outputs that meet `condition`; it is pending unless all did.
    public func keeping<Failure>(_ condition: (OutputRecord) throws(Failure) -> Bool) throws(Failure)
        -> SalvagedItem
    {
        var item = self
        item.outputs = []
        for output in outputs where try condition(output.result) { item.outputs.append(output) }
        if item.outputs.count < outputs.count, state == .done || state == .skipped { item.state = .pending }
        return item
    }

    /// The same item in the state pending.
    public var waiting: SalvagedItem {
        var item = self
        item.state = .pending
        return item
    }
}
