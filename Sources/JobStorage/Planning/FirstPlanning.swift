import SQLite

/// The first planning of a job, which writes straight into the table of items, without the indexes that it would have to
/// search for each row.
///
/// Those are sorted once at the end, which is many times faster. Until then their definitions are in a table of their own.
/// The others stay, since to create one SQLite reads all items again: they hold almost no new items, or get each of them
/// at their end.
enum FirstPlanning {
    static func begin(_ connection: Connection) throws {
        try WaitingIndexes.begin(connection)
        try WaitingIndexes.postpone("item_by_key", connection)
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
        try WaitingIndexes.postpone("item_ready", connection)
    }

    /// Returns the counts for `added` rows without counting millions of items.
    static func finish(_ connection: Connection, recipes: [OutputRecipe], added: Int) throws -> PlanCounts {
        try checkConstraints(true, connection)
        try WaitingIndexes.make(connection, named: "name = 'item_by_key'")
        var counts = PlanCounts()
        counts.duplicates = try connection.removeDuplicates(from: "item")
        try WaitingIndexes.make(connection, named: "name <> 'item_by_key'")
        try WaitingIndexes.end(connection)
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
}
