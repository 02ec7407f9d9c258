import SQLite

/// The definitions of indexes that a first planning makes at its end, in a table of their own until then.
enum WaitingIndexes {
    static func begin(_ connection: Connection) throws {
        try connection.execute("CREATE TABLE waiting_index(name TEXT NOT NULL, sql TEXT NOT NULL) STRICT")
    }

    /// Drops the index of this name until the end of the planning, unless it is dropped already.
    static func postpone(_ name: String, _ connection: Connection) throws {
        try connection.statement(
            "INSERT INTO waiting_index SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name = ?"
        ).run(name)
        try connection.execute("DROP INDEX IF EXISTS \(name)")
    }

    /// Makes the indexes of which `condition` is true.
    static func make(_ connection: Connection, named condition: String) throws {
        let definitions: [String] = try connection.statement(
            "SELECT sql FROM waiting_index WHERE \(condition)"
        ).scalars()
        for definition in definitions { try connection.execute(definition) }
    }

    static func end(_ connection: Connection) throws {
        try connection.execute("DROP TABLE waiting_index")
    }

    /// Removes the rows of a planning or of a copy that never finished, if there was one.
    static func discardPlanning(_ connection: Connection) throws {
        let isUnfinished = try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'waiting_index')"
        )
        guard isUnfinished == 1 else { return }
        for table in try connection.tablesOfItems { try connection.execute("DELETE FROM \(table)") }
        try connection.execute("DELETE FROM item")
        try make(connection, named: "1")
        try end(connection)
    }
}

extension Connection {
    /// The tables besides `item` whose rows belong to an item.
    var tablesOfItems: [String] {
        get throws(SQLiteError) {
            try statement(
                """
                SELECT name FROM main.sqlite_schema AS t WHERE type = 'table' AND name <> 'item'
                    AND EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS c WHERE c.name = 'item_id') ORDER BY name
                """
            ).scalars()
        }
    }
}
