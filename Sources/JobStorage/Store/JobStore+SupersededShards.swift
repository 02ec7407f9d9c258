import SQLite

/// Complete shards of which nothing is current: all their items were packed again, or have left the manifest.
extension JobReader {
    /// Returns those of a destination, by number.
    /// - Throws: `JobStoreError`.
    public func supersededShards(of destination: String) throws(JobStoreError) -> [ShardRecord] {
        try read { connection in
            let current = Set(
                try connection.statement(
                    """
                    SELECT DISTINCT substr(o.path, 1, instr(o.path, '/') - 1) \(Self.asked)
                        AND o.state = 'done' AND o.shard_offset IS NOT NULL
                    """
                ).scalars() as [String]
            )
            return try connection.statement(
                """
                SELECT \(ShardRecord.columns) FROM shard
                WHERE destination = ? AND complete_ms IS NOT NULL AND items > 0 ORDER BY number
                """
            ).rows(destination) { ShardRecord($0) }.filter { shard in
                !Shard.Format.allCases.contains { current.contains(Shard.name(shard.number, $0)) }
            }
        }
    }

    /// Returns the outputs that are in the shard with this file name, whether they are asked for or not.
    /// - Throws: `JobStoreError`.
    public func outputs(inShard name: String) throws(JobStoreError) -> [(itemID: Int64, name: String)] {
        try read("SELECT item_id, name FROM output WHERE \(Shard.isMember)") {
            try $0.rows(name + "/") { ($0["item_id"], $0["name"]) }
        }
    }

    /// Returns the outputs that are in one of the shards with these file names.
    /// - Throws: `JobStoreError`.
    package func outputs(inShards names: Set<String>) throws(JobStoreError) -> [(itemID: Int64, name: String)]
    {
        try read { connection in
            let statement = try connection.statement(
                "SELECT item_id, name, path FROM output WHERE shard_offset IS NOT NULL"
            )
            try statement.bind([])
            var found: [(itemID: Int64, name: String)] = []
            while try statement.step() {
                if names.contains(Shard.file(ofMember: statement["path"])) {
                    found.append((statement["item_id"], statement["name"]))
                }
            }
            return found
        }
    }
}

extension JobStore {
    /// Forgets a shard of which nothing is current, and the outputs in it: its files are gone.
    /// - Throws: `JobStoreError`.
    public func forget(superseded shard: ShardRecord) throws(JobStoreError) {
        try writeNow { connection in
            for format in Shard.Format.allCases {
                try connection.statement("DELETE FROM output WHERE \(Shard.isMember)")
                    .run(Shard.name(shard.number, format) + "/")
            }
            try connection.statement("DELETE FROM shard WHERE shard_id = ?").run(shard.shardID)
        }
    }
}

extension Shard {
    /// Selects the outputs in a shard, whose name with a slash is the parameter.
    fileprivate static let isMember = "shard_offset IS NOT NULL AND substr(path, 1, length(?1)) = ?1"
}
