import SQLite

/// The likeness of files to their images.
extension JobReader {
    /// Returns the number of files that are less like their images than the manifest asks, by the reason; from an index of their own.
    /// - Throws: `JobStoreError`.
    public func shortfalls() throws(JobStoreError) -> [String: Int] {
        try read { connection in
            guard try Self.revision(connection) != nil else { return [:] }
            return try connection.statement(
                """
                SELECT o.shortfall, count(*) AS count FROM output o INDEXED BY output_shortfall
                JOIN item i USING (item_id)
                JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
                WHERE o.shortfall IS NOT NULL AND o.state = 'done' AND i.listed = 1 GROUP BY o.shortfall
                """
            ).dictionary { ($0["shortfall"], $0["count"]) }
        }
    }

    /// Returns the number of outputs that the manifest asks for by their whole points of SSIMULACRA2; those below 0 count as 0.
    fileprivate func scores() throws(JobStoreError) -> [Int: Int] {
        try read(
            """
            SELECT CAST(max(o.ssimulacra2, 0) AS INTEGER) AS points, count(*) AS count
            \(Self.wantedOutputs) AND o.state = 'done' AND o.ssimulacra2 IS NOT NULL GROUP BY points
            """
        ) { try $0.dictionary { ($0["points"], $0["count"]) } }
    }
}

extension [JobReader] {
    /// Returns the number of outputs that the manifest asks for by their whole points of SSIMULACRA2, 0 to 100, over all states.
    /// - Throws: `JobStoreError`.
    public func scores() throws(JobStoreError) -> [Int: Int] {
        var all: [Int: Int] = [:]
        for reader in self { all.merge(try reader.scores(), uniquingKeysWith: +) }
        return all
    }
}
