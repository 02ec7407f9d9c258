import Foundation
import SQLite

/// What a rebuilding came to.
public struct RebuiltState: Sendable {
    /// Where the damaged file is kept.
    public let aside: String
    /// Items of it that were taken over, and their outputs.
    public internal(set) var items = 0, outputs = 0
}

extension JobStore {
    /// Makes a new state of what can be read of the damaged one at `path`, which is kept beside it under another name.
    ///
    /// `check` is given each item that could be read; it takes away what is not as it should be, and nil takes the item. What is
    /// taken over stands as if an earlier manifest had asked for it, so that a planning finds out what is still wanted, what is
    /// missing and what is new. Not taken over: the log, runs, attempts, and what was learned about hosts.
    /// - Throws: `JobStoreError`; the damaged state is as it was.
    public static func rebuild(
        path: String,
        check: @escaping @Sendable (SalvagedItem) -> SalvagedItem?
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
                database.close()
            } catch {
                database.close()
                throw error
            }
            // What is damaged may be in the log alone: the three belong together.
            for ending in ["-wal", "-shm", ""] where FileManager.default.fileExists(atPath: path + ending) {
                try FileManager.default.moveItem(atPath: path + ending, toPath: rebuilt.aside + ending)
            }
            try FileManager.default.moveItem(atPath: draft.path, toPath: path)
            return rebuilt
        } catch let error as JobStoreError {
            throw error
        } catch let error as SQLiteError {
            throw JobStoreError(error)
        } catch {
            throw .notWritable(path: path, detail: error.localizedDescription)
        }
    }

    private static func takeOver(
        _ salvage: StateSalvage?,
        into connection: Connection,
        _ check: (SalvagedItem) -> SalvagedItem?
    ) throws -> (items: Int, outputs: Int) {
        var (items, outputs) = (0, 0)
        try connection.execute("INSERT INTO host(name) VALUES ('')")
        let host = connection.lastInsertRowID
        try salvage?.forEach { found in
            guard let item = check(found) else { return }
            try connection.execute("SAVEPOINT item")
            do {
                outputs += try insert(item, host: host, connection)
                items += 1
            } catch let error as SQLiteError where error.isConstraint {
                // A row that cannot be as it was read is damage as well.
                try connection.execute("ROLLBACK TO item")
            }
            try connection.execute("RELEASE item")
        }
        guard items > 0 else { return (0, 0) }
        try connection.statement(
            """
            INSERT INTO revision(manifest_sha256, manifest_json, lists_json, items, planned_ms)
            VALUES ('', '{}', '', ?, ?)
            """
        ).run(Value(items), .integer(now))
        return (items, outputs)
    }

    /// How many outputs the item brought along.
    private static func insert(_ item: SalvagedItem, host: Int64, _ connection: Connection) throws -> Int {
        let columns = "cache_key, original_sha256, facts, error, message, attempts, updated_ms"
        let row = item.item
        let statement = try connection.statement(
            """
            INSERT INTO item(item_key, ordinal, host_id, source, priority, state, url, headers_json, id, vars_json,
                location, validator, placement, \(columns))
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        var values = item.values
        // What waits has no error and all its attempts.
        if item.state == .pending { (values[3], values[4], values[5]) = (.null, .null, 0) }
        try statement.bind(
            [
                .integer(row.key), Value(row.ordinal), .integer(host), Value(row.source), Value(row.priority),
                .text(item.state.rawValue), .text(row.url), Value(row.headersJSON), Value(row.id),
                Value(row.varsJSON), .text(row.location), Value(row.validator), Value(row.placement),
            ] + values
        )
        while try statement.step() {}
        let itemID = connection.lastInsertRowID
        for (output, time) in item.outputs {
            try connection.insert(output, of: itemID, at: time, replacing: false)
        }
        return item.outputs.count
    }
}

extension SalvagedItem {
    /// The item with those outputs alone that meet `condition`; it waits unless all did.
    public func keeping(_ condition: (OutputResult) -> Bool) -> SalvagedItem {
        var item = self
        item.outputs = outputs.filter { condition($0.result) }
        if item.outputs.count < outputs.count, state == .done || state == .skipped { item.state = .pending }
        return item
    }

    /// The item as one that waits.
    public var waiting: SalvagedItem {
        var item = self
        item.state = .pending
        return item
    }
}
