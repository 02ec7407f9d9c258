import SQLite

/// A tar file of a dataset, as the state knows it.
public struct ShardRecord: Hashable, Sendable {
    /// The row's id.
    public let shardID: Int64
    /// Of its name: 3 is `00003.tar`, and `00003.tar.part` while it is being written.
    public var number: Int
    /// How many items it holds.
    public var items: Int
    /// The bytes that are durable and have rows; a `.part` may have more, which count for nothing.
    public var bytes: Int
}

/// An item with its outputs that are durable in a shard.
public struct PackedItem: Sendable {
    /// The item, which this run holds.
    public let item: ClaimedItem
    /// All its outputs, with their places in the shard.
    public let outputs: [OutputResult]

    /// Describes an item's place in a shard.
    public init(_ item: ClaimedItem, outputs: [OutputResult]) {
        self.item = item
        self.outputs = outputs
    }
}

extension JobReader {
    /// The shard of `destination`, as the manifest writes it, that is not complete yet; nil where there is none.
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

    /// The highest number that a shard of `destination` has had; nil where it has had none.
    /// - Throws: `JobStoreError`.
    public func lastShard(of destination: String) throws(JobStoreError) -> Int? {
        try read { connection in
            try connection.statement("SELECT max(number) FROM shard WHERE destination = ?")
                .first(.text(destination)) { $0.optionalInteger(0).map { Int($0) } } ?? nil
        }
    }
}

/// Each function returns after its commit.
extension JobStore {
    /// Writes down that a shard of `destination` is going to be written; its file may be made from now on.
    /// - Throws: `JobStoreError`.
    public func beginShard(number: Int, of destination: String) async throws(JobStoreError) -> ShardRecord {
        try await write { connection in
            try connection.statement("INSERT INTO shard(destination, number) VALUES (?, ?)")
                .run(.text(destination), Value(number))
            return ShardRecord(shardID: connection.lastInsertRowID, number: number, items: 0, bytes: 0)
        }
    }

    /// Writes down what was appended to a shard, all of it or nothing: its items' outputs, and its length.
    ///
    /// An item that this run does not hold is refused, and nothing is written. The items themselves go on being held.
    /// - Throws: `JobStoreError`.
    public func record(_ packed: [PackedItem], in shard: ShardRecord) async throws(JobStoreError) {
        let run = try currentRun()
        try await write { connection in
            for entry in packed {
                let change = ItemChange(connection: connection, run: run, item: entry.item, event: .finish)
                // Nothing is set but the time: what counts is that the run holds the item.
                try change.run("run_id = run_id")
                for output in entry.outputs { try change.add(output) }
            }
            try connection.statement("UPDATE shard SET items = ?, bytes = ? WHERE shard_id = ?")
                .run(Value(shard.items), Value(shard.bytes), .integer(shard.shardID))
        }
    }

    /// Writes down that a shard has its name and is never changed again.
    /// - Throws: `JobStoreError`.
    public func complete(_ shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("UPDATE shard SET complete_ms = ? WHERE shard_id = ?")
                .run(.integer(Self.now), .integer(shard.shardID))
        }
    }

    /// Forgets a shard that holds nothing.
    /// - Throws: `JobStoreError`.
    public func forget(_ shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("DELETE FROM shard WHERE shard_id = ? AND items = 0")
                .run(.integer(shard.shardID))
        }
    }
}
