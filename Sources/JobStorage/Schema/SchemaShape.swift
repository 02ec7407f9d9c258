import SQLite

/// The names of what a schema has: its columns, with the table or view of each, and its indexes.
///
/// A flipped bit in the text of a schema is none that SQLite finds: a column has another name.
struct SchemaShape {
    /// What runs add for a while or for good: a table of indexes that wait for a first planning's end, and an index for jobs
    /// whose paths are known late.
    private static let passing: Set<String> = [
        "column waiting_index.name", "column waiting_index.sql", "index output_by_path",
    ]

    /// A line for each, such as `column item.host_id`.
    let names: Set<String>

    /// Makes the schema of a database anew and reads its shape.
    ///
    /// A connection that only reads ignores constraints, in which names can be wrong as well.
    /// - Throws: `SQLiteError`.
    init(of connection: Connection) throws {
        let statement =
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite%' ORDER BY rowid"
        let waiting = try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'waiting_index' AND type = 'table')"
        )
        // Without a path, SQLite makes a database that ends with its connection.
        let copy = try Connection(path: "")
        let statements = [statement] + (waiting == 1 ? ["SELECT sql FROM waiting_index"] : [])
        for sql in try statements.flatMap({ try connection.statement($0).scalars() as [String] }) {
            try copy.execute(sql)
        }
        try self.init(read: copy)
    }

    private init(read connection: Connection) throws {
        names = Set(
            try connection.statement(
                """
                SELECT 'column ' || object.name || '.' || field.name
                FROM sqlite_schema object, pragma_table_xinfo(object.name) field
                WHERE object.type IN ('table', 'view')
                UNION ALL
                SELECT 'index ' || list.name FROM sqlite_schema object, pragma_index_list(object.name) list
                WHERE object.type = 'table'
                """
            ).scalars()
        )
    }

    /// Returns the shape that all migrations make.
    /// - Throws: `SQLiteError`.
    static func expected() throws -> SchemaShape {
        let connection = try Connection(path: "")
        try connection.migrate(Schema.migrations, applicationID: Schema.applicationID, path: "")
        return try SchemaShape(read: connection)
    }

    /// The differences from `expected`, a sentence each.
    func differences(from expected: SchemaShape) -> [String] {
        expected.names.subtracting(names).sorted().map { "its schema has no \($0)" }
            + names.subtracting(expected.names).subtracting(Self.passing).sorted().map {
                "its schema has an unknown \($0)"
            }
    }
}
