import SQLite

extension JobStore {
    /// True if a finished, listed item other than `item`, or an output of that one that is not among `names`, has an output
    /// at `path` whose hash is not `sha256`.
    ///
    /// `names` are the outputs that the item makes now: what they were before no longer counts.
    ///
    /// The first call creates an index, which takes seconds for millions of outputs. Most jobs never call this, since
    /// planning knows their paths.
    /// - Throws: `JobStoreError`.
    public func hasOutput(
        at path: String,
        otherThan sha256: String,
        notOf item: Int64,
        making names: [String]
    ) async throws(JobStoreError) -> Bool {
        try await write { connection in
            let condition = """
                o.path = ?2 AND o.sha256 <> ?3 AND iif(o.item_id = ?1,
                    o.name NOT IN (SELECT value FROM json_each(?4)), i.state IN ('done', 'failed'))
                """
            return try Self.outputs(condition, connection)
                .scalar(item, path, sha256, Value.json(names)) == true
        }
    }

    /// True if a listed item other than `item` has an output that is a file where `path` needs a folder, or the reverse.
    ///
    /// The first call may create an index, as `hasOutput(at:otherThan:notOf:making:)` does.
    /// - Throws: `JobStoreError`.
    public func hasOutput(across path: String, notOf item: Int64) async throws(JobStoreError) -> Bool {
        let scalars = path.unicodeScalars
        let folders = scalars.indices.filter { scalars[$0] == "/" }.map { String(path[..<$0]) }
        return try await write { connection in
            // "0" follows "/" in ASCII, so that the range holds what is below the path and nothing else.
            let isFolder =
                try Self.outputs("o.item_id <> ?1 AND o.path > ?2 AND o.path < ?3", connection)
                .scalar(item, path + "/", path + "0") == true
            if isFolder { return true }
            let file = try Self.outputs("o.item_id <> ?1 AND o.path = ?2", connection)
            for folder in folders where try file.scalar(item, folder) == true { return true }
            return false
        }
    }

    /// The query for current outputs of listed items that meet `condition`.
    static func outputs(_ condition: String, _ connection: Connection) throws -> Statement {
        try connection.indexOutputsByPath()
        return try connection.statement(
            """
            SELECT EXISTS (SELECT 1 FROM output o INDEXED BY output_by_path JOIN item i USING (item_id)
                JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
                WHERE o.state = 'done' AND i.listed = 1 AND \(condition))
            """
        )
    }
}

extension Connection {
    /// Creates the index of outputs by path, which most jobs do without.
    func indexOutputsByPath() throws(SQLiteError) {
        try execute("CREATE INDEX IF NOT EXISTS output_by_path ON output(path)")
    }
}
