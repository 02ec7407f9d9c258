import SQLite

/// The names of what a schema has: its columns, with the table or view of each, and its indexes.
///
/// A flipped bit in the text of a schema is none that SQLite finds: a column has another name.
struct SchemaShape {
    /// A line for each, such as `column item.host_id`.
    let names: Set<String>

    /// Reads the shape of a database.
    /// - Throws: `SQLiteError`.
    init(of connection: Connection) throws {
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
            ).rows { $0.text(0) }
        )
    }

    /// Returns the shape that all migrations make.
    /// - Throws: `SQLiteError`.
    static func expected() throws -> SchemaShape {
        // Without a path, SQLite makes a database that ends with its connection.
        let connection = try Connection(path: "")
        try connection.migrate(Schema.migrations, applicationID: Schema.applicationID, path: "")
        return try SchemaShape(of: connection)
    }

    /// The differences from `other`, a sentence each.
    func differences(from other: SchemaShape) -> [String] {
        other.names.subtracting(names).sorted().map { "its schema has no \($0)" }
            + names.subtracting(other.names).sorted().map { "its schema has an unknown \($0)" }
    }
}
