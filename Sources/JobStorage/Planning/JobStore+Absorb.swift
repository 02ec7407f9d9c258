import Foundation
import SQLite

/// The state of a whole job from those of its parts, which were planned from different items of the same manifest.
///
/// Their rows are copied as they are, which is many times faster than to plan the items again and to record each end. The
/// copy is one planning: the next opening discards what a process has left that died before ``finishAbsorbing(lists:)``.
extension JobStore {
    /// Begins the copy of other states into this one, in which nothing was planned.
    /// - Throws: `JobStoreError`.
    package func beginAbsorbing() throws(JobStoreError) {
        do { try database.readNow { try $0.beginBulk() } } catch { throw JobStoreError(error) }
        try writeNow { connection in
            try WaitingIndexes.discardPlanning(connection)
            try FirstPlanning.begin(connection)
            try WaitingIndexes.postpone("item_by_ordinal", connection)
        }
    }

    /// Copies the items of the state at `path`, which nobody writes, with their outputs and the settings that they were made with.
    ///
    /// The file must be one that this process may believe: its rows are not checked.
    /// - Throws: `JobStoreError`.
    package func absorb(_ path: String) throws(JobStoreError) {
        do {
            try database.readNow { try $0.statement("ATTACH DATABASE ? AS part").run(path) }
            defer { try? database.readNow { try $0.execute("DETACH DATABASE part") } }
            try database.writeNow { try $0.copyPart() }
        } catch {
            throw JobStoreError(error)
        }
    }

    /// Puts the copied items in force, as planned from `lists` by the manifest with this SHA-256.
    /// - Throws: `JobStoreError`.
    package func finishAbsorbing(lists: String, manifestSHA256: String) throws(JobStoreError) {
        try writeNow { connection in
            try FirstPlanning.checkConstraints(true, connection)
            try WaitingIndexes.make(connection, named: "1")
            try WaitingIndexes.end(connection)
            let items = try connection.integer(
                "SELECT count(*) FROM item INDEXED BY item_by_ordinal WHERE listed = 1"
            )
            try connection.statement(
                """
                INSERT INTO revision(manifest_sha256, lists_json, items, duplicates, planned_ms) VALUES (?, ?, ?, 0, ?)
                """
            ).run(manifestSHA256, lists, items, JobStore.now)
        }
        do { try database.readNow { try $0.endBulk() } } catch { throw JobStoreError(error) }
    }
}

extension Connection {
    private func columns(of table: String) throws(SQLiteError) -> [String] {
        try statement("SELECT name FROM pragma_table_info(?)").scalars(table)
    }

    /// Copies the rows of the attached database `part`; those that have IDs get new ones.
    fileprivate func copyPart() throws(SQLiteError) {
        let base = try integer("SELECT coalesce(max(item_id), 0) FROM main.item")
        for (table, id) in [("host", "host_id"), ("recipe", "recipe_id")] {
            let names = try columns(of: table).filter { $0 != id }.joined(separator: ", ")
            try execute("INSERT OR IGNORE INTO main.\(table)(\(names)) SELECT \(names) FROM part.\(table)")
        }
        try execute(
            """
            INSERT OR REPLACE INTO main.wanted(source, name, recipe_id) SELECT w.source, w.name, r.recipe_id
            FROM part.wanted w JOIN part.recipe p ON p.recipe_id = w.recipe_id JOIN main.recipe r ON r.recipe = p.recipe;
            INSERT OR IGNORE INTO main.note SELECT * FROM part.note
            """
        )
        try copy("item", above: base)
        for table in try tablesOfItems { try copy(table, above: base) }
    }

    /// Copies a table, whose items get IDs above `base`.
    private func copy(_ table: String, above base: Int64) throws(SQLiteError) {
        let names = try columns(of: table)
        let values = names.map { name in
            switch name {
            case "item_id", "twin_id": "t.\(name) + \(base)"
            case "host_id": "h.host_id"
            case "recipe_id": "r.recipe_id"
            default: "t.\(name)"
            }
        }
        // A cross join is never reordered: the rows come in the order of the part.
        var tables = "part.\(table) t"
        if names.contains("host_id") {
            tables +=
                " CROSS JOIN part.host q ON q.host_id = t.host_id CROSS JOIN main.host h ON h.name = q.name"
        }
        if names.contains("recipe_id") {
            tables +=
                " CROSS JOIN part.recipe p ON p.recipe_id = t.recipe_id CROSS JOIN main.recipe r ON r.recipe = p.recipe"
        }
        let list = names.joined(separator: ", ")
        try execute(
            "INSERT INTO main.\(table)(\(list)) SELECT \(values.joined(separator: ", ")) FROM \(tables)"
        )
    }
}
