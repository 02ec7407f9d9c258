import SQLite

/// A tar file of a dataset, as recorded.
public struct ShardRecord: Hashable, Sendable {
    /// The row's ID.
    public let shardID: Int64
    /// The number in its name: 3 is `00003.tar`, and `00003.tar.part` while it is being written.
    public var number: Int
    /// The number of items in it.
    public var items: Int
    /// The size that is durable and recorded, in bytes; what a `.part` has beyond it is ignored.
    public var bytes: Int
}

/// An item with its outputs that are durable in a shard.
public struct PackedItem: Sendable {
    /// The item, which this run holds.
    public let item: ClaimedItem
    /// All its outputs, with their offsets in the shard.
    public let outputs: [OutputResult]

    /// Describes an item in a shard.
    public init(_ item: ClaimedItem, outputs: [OutputResult]) {
        self.item = item
        self.outputs = outputs
    }
}

extension JobReader {
    /// Returns the incomplete shard of `destination`, as the manifest writes it; nil if there is none.
    /// - Throws: `JobStoreError`.
    public func openShard(of destination: String) throws(JobStoreError) -> ShardRecord? {
        try read { connection in
            try connection.statement(
                """
                SELECT shard_id, number, items, bytes FROM shard
                WHERE destination = ? AND complete_ms IS NULL
                """
            ).first(.text(destination)) { row in
                ShardRecord(
                    shardID: row.integer(0),
                    number: Int(row.integer(1)),
                    items: Int(row.integer(2)),
                    bytes: Int(row.integer(3))
                )
            }
        }
    }

    /// Returns the highest number of a shard of `destination`; nil if there was none.
    /// - Throws: `JobStoreError`.
    public func lastShard(of destination: String) throws(JobStoreError) -> Int? {
        try read { connection in
            try connection.statement("SELECT max(number) FROM shard WHERE destination = ?")
                .first(.text(destination)) { $0.optionalInteger(0).map { Int($0) } } ?? nil
        }
    }
}

/// Records shards; each function returns after its commit.
extension JobStore {
    /// Records a new shard of `destination`, before its file is created.
    /// - Throws: `JobStoreError`.
    public func beginShard(number: Int, of destination: String) async throws(JobStoreError) -> ShardRecord {
        try await write { connection in
            try connection.statement("INSERT INTO shard(destination, number) VALUES (?, ?)")
                .run(.text(destination), Value(number))
            return ShardRecord(shardID: connection.lastInsertRowID, number: number, items: 0, bytes: 0)
        }
    }

    /// Records what was appended to a shard, all of it or nothing: the outputs of its items, and its size.
    ///
    /// If this run does not hold one of the items, nothing is written. The items stay held.
    /// - Throws: `JobStoreError`.
    public func record(_ packed: [PackedItem], in shard: ShardRecord) async throws(JobStoreError) {
        let (run, clock) = (try currentRun(), clock)
        try await write { connection in
            let now = clock.now
            for entry in packed {
                let change = ItemChange(
                    connection: connection,
                    run: run,
                    now: now,
                    item: entry.item,
                    event: .finish
                )
                // Sets nothing but the time; it throws unless the run holds the item.
                try change.run("run_id = run_id")
                for output in entry.outputs { try change.add(output) }
            }
            try connection.statement("UPDATE shard SET items = ?, bytes = ? WHERE shard_id = ?")
                .run(Value(shard.items), Value(shard.bytes), .integer(shard.shardID))
        }
    }

    /// Records that a shard is complete: it has its final name and never changes again.
    /// - Throws: `JobStoreError`.
    public func complete(_ shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("UPDATE shard SET complete_ms = ? WHERE shard_id = ?")
                .run(.integer(Self.now), .integer(shard.shardID))
        }
    }

    /// Forgets an empty shard.
    /// - Throws: `JobStoreError`.
    public func forget(_ shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("DELETE FROM shard WHERE shard_id = ? AND items = 0")
                .run(.integer(shard.shardID))
        }
    }
}
