import SQLite

/// The first planning of a job, which writes straight into the table of items, without the indexes that it would have to
/// search for each row.
///
/// Those are sorted once at the end, which is many times faster. Until then their definitions are in a table of their own.
/// The others stay, since to create one SQLite reads all items again: they hold almost no new items, or get each of them
/// at their end.
enum FirstPlanning {
    static func begin(_ connection: Connection) throws {
        try connection.execute("CREATE TABLE waiting_index(name TEXT NOT NULL, sql TEXT NOT NULL) STRICT")
        try postpone("item_by_key", connection)
        // The conditions between columns hold for each row that `NewItems` binds, and to evaluate them would take a quarter of
        // the time of an insert. A test checks them afterwards.
        try checkConstraints(false, connection)
    }

    /// Turns the evaluation of the tables' CHECK constraints on or off, for this connection.
    static func checkConstraints(_ isOn: Bool, _ connection: Connection) throws(SQLiteError) {
        try connection.execute("PRAGMA ignore_check_constraints=\(isOn ? "OFF" : "ON")")
    }

    /// Sorts the index of waiting items at the end, too, because hosts or priorities take turns in the lists.
    static func postponeReadyIndex(_ connection: Connection) throws {
        try postpone("item_ready", connection)
    }

    /// Drops the index of this name until the end of the planning, unless it is dropped already.
    private static func postpone(_ name: String, _ connection: Connection) throws {
        try connection.statement(
            "INSERT INTO waiting_index SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name = ?"
        ).run(.text(name))
        try connection.execute("DROP INDEX IF EXISTS \(name)")
    }

    /// Returns the counts for `added` rows without counting millions of items.
    static func finish(_ connection: Connection, recipes: [OutputRecipe], added: Int) throws -> PlanCounts {
        try checkConstraints(true, connection)
        try makeIndexes(connection, named: "name = 'item_by_key'")
        var counts = PlanCounts()
        counts.duplicates = try connection.removeDuplicates(from: "item")
        try makeIndexes(connection, named: "name <> 'item_by_key'")
        try connection.execute("DROP TABLE waiting_index")
        try connection.replaceWanted(recipes)
        try CollisionPlanning.finish(connection)
        (counts.items, counts.new) = (added - counts.duplicates, added - counts.duplicates)
        let failed = Int(
            try connection.integer(
                "SELECT count(*) FROM item INDEXED BY item_problem WHERE \(Schema.isProblem)"
            )
        )
        counts.states = JobCounts([.pending: counts.items - failed, .failed: failed].filter { $0.value > 0 })
        return counts
    }

    /// Removes the rows of a planning that never finished, if there was one.
    static func discard(_ connection: Connection) throws {
        let isUnfinished = try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'waiting_index')"
        )
        guard isUnfinished == 1 else { return }
        try connection.execute("DELETE FROM item")
        try makeIndexes(connection, named: "1")
        try connection.execute("DROP TABLE waiting_index")
    }

    private static func makeIndexes(_ connection: Connection, named condition: String) throws {
        let definitions = try connection.statement("SELECT sql FROM waiting_index WHERE \(condition)")
            .rows { $0.text(0) }
        for definition in definitions { try connection.execute(definition) }
    }
}
