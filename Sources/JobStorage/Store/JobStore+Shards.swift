import SQLite

/// An item with its outputs that are durable in a shard.
public struct PackedItem: Sendable {
    /// The item, which this run holds.
    public let item: ClaimedItem
    /// All its outputs, with their offsets in the shard.
    public let outputs: [OutputRecord]

    /// Describes an item in a shard.
    public init(_ item: ClaimedItem, outputs: [OutputRecord]) {
        self.item = item
        self.outputs = outputs
    }
}

extension JobReader {
    /// Returns the incomplete shard of `destination`, as the manifest writes it; nil if there is none.
    /// - Throws: `JobStoreError`.
    public func openShard(of destination: String) throws(JobStoreError) -> ShardRecord? {
        try read { connection in
            // A state of an earlier release, which is about to be deleted, has no uploads; the NULL stands for them.
            // Of two columns with that name, the first is read.
            try connection.statement(
                "SELECT *, NULL AS upload FROM shard WHERE destination = ? AND complete_ms IS NULL"
            ).first(destination) { ShardRecord($0) }
        }
    }

    /// Returns the unfinished shards, with their destinations as the manifest wrote them.
    /// - Throws: `JobStoreError`.
    public func openShards() throws(JobStoreError) -> [(destination: String, shard: ShardRecord)] {
        try read(
            """
            SELECT \(ShardRecord.columns), destination FROM shard
            WHERE complete_ms IS NULL ORDER BY shard_id
            """
        ) { try $0.rows { (destination: $0["destination"], shard: ShardRecord($0)) } }
    }

    /// Returns the recorded parts of a shard, by number.
    /// - Throws: `JobStoreError`.
    public func parts(of shard: ShardRecord) throws(JobStoreError) -> [ShardPart] {
        try read("SELECT number, etag, sha256, bytes FROM shard_part WHERE shard_id = ? ORDER BY number") {
            try $0.rows(shard.shardID) { row in
                ShardPart(
                    number: row["number"],
                    etag: row["etag"],
                    sha256: row["sha256"],
                    bytes: row["bytes"]
                )
            }
        }
    }

    /// Returns the statistics of a shard as they are recorded; nil for one without items, and for one that an earlier release
    /// has begun.
    /// - Throws: `JobStoreError`.
    public func statistics(of shard: ShardRecord) throws(JobStoreError) -> ShardStatistics? {
        try read(
            """
            SELECT items, outputs, output_bytes, first_ms, last_ms FROM shard
            WHERE shard_id = ? AND outputs IS NOT NULL AND first_ms IS NOT NULL
            """
        ) {
            try $0.first(shard.shardID) { row in
                ShardStatistics(
                    items: row["items"],
                    outputs: row["outputs"],
                    bytes: row["output_bytes"],
                    firstMilliseconds: row["first_ms"],
                    lastMilliseconds: row["last_ms"]
                )
            }
        }
    }

    /// Returns the highest number of a shard of `destination`; nil if there was none.
    /// - Throws: `JobStoreError`.
    public func lastShard(of destination: String) throws(JobStoreError) -> Int? {
        try read("SELECT max(number) FROM shard WHERE destination = ?") {
            try $0.scalar(destination)
        }
    }
}

/// Records shards; each function returns after its commit.
extension JobStore {
    /// Records a new shard of `destination`, before its file is created.
    /// - Throws: `JobStoreError`.
    public func beginShard(number: Int, of destination: String) async throws(JobStoreError) -> ShardRecord {
        try await write { connection in
            try connection.statement(
                "INSERT INTO shard(destination, number, outputs, output_bytes) VALUES (?, ?, 0, 0)"
            )
            .run(destination, number)
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
            let made = packed.flatMap(\.outputs).filter { $0.state == .done }
            try connection.statement(
                """
                UPDATE shard SET items = ?1, bytes = ?2, outputs = outputs + ?3, output_bytes = output_bytes + ?4,
                    first_ms = coalesce(first_ms, ?5), last_ms = ?5 WHERE shard_id = ?6
                """
            ).run(with: [
                shard.items, shard.bytes, made.count, made.reduce(0) { $0 + ($1.bytes ?? 0) }, now,
                shard.shardID,
            ])
        }
    }

    /// Records the upload of a shard that has none, before anything is sent.
    /// - Throws: `JobStoreError`.
    public func record(upload identifier: String, of shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("UPDATE shard SET upload = ? WHERE shard_id = ?")
                .run(identifier, shard.shardID)
        }
    }

    /// Records a part that the store has acknowledged.
    /// - Throws: `JobStoreError`.
    public func record(_ part: ShardPart, of shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("INSERT OR REPLACE INTO shard_part VALUES (?, ?, ?, ?, ?)").run(with: [
                shard.shardID, part.number, part.etag, part.sha256, part.bytes,
            ])
        }
    }

    /// Forgets an upload that was given up: its items keep their rows, whose bytes are gone.
    /// - Throws: `JobStoreError`.
    public func giveUp(_ shard: ShardRecord) throws(JobStoreError) {
        try writeNow { try Self.end(shard, $0) }
    }

    /// Records that a shard is complete: it has its final name and never changes again.
    /// - Throws: `JobStoreError`.
    public func complete(_ shard: ShardRecord) async throws(JobStoreError) {
        try await write { try Self.end(shard, $0) }
    }

    private static func end(_ shard: ShardRecord, _ connection: Connection) throws {
        try connection.statement("DELETE FROM shard_part WHERE shard_id = ?").run(shard.shardID)
        try connection.statement("UPDATE shard SET complete_ms = ? WHERE shard_id = ?")
            .run(now, shard.shardID)
    }

    /// Forgets an empty shard.
    /// - Throws: `JobStoreError`.
    public func forget(_ shard: ShardRecord) async throws(JobStoreError) {
        try await write { connection in
            try connection.statement("DELETE FROM shard_part WHERE shard_id = ?").run(shard.shardID)
            try connection.statement("DELETE FROM shard WHERE shard_id = ? AND items = 0")
                .run(shard.shardID)
        }
    }
}
