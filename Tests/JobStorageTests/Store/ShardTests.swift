import JobStorage
import SQLite
import TestSupport
import Testing

/// The records of a dataset's shards and of its index.
@Suite(.timeLimit(.minutes(10))) struct ShardTests {
    /// A job of four items that are held.
    private func heldJob() async throws -> (TestJob, JobStore, [ClaimedItem]) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...4).map { row($0) })
        _ = try store.beginRun(version: "1")
        return (job, store, try await store.claim(limit: 4))
    }

    /// The item's one output at `offset` of the first shard.
    private func packed(_ item: ClaimedItem, at offset: Int) -> PackedItem {
        var output = done(item).outputs[0]
        (output.path, output.shardOffset) = ("00000.tar/\(item.itemID).jpg", offset)
        return PackedItem(item, outputs: [output])
    }

    @Test("what is appended is written down as a whole: outputs and length, or nothing")
    func record() async throws {
        let (job, store, items) = try await heldJob()
        var shard = try await store.beginShard(number: 0, of: "out")
        #expect(try store.reader.openShard(of: "out") == shard)
        #expect(try store.reader.openShard(of: "other") == nil)
        (shard.items, shard.bytes) = (2, 2048)
        try await store.record([packed(items[0], at: 512), packed(items[1], at: 1536)], in: shard)
        #expect(try store.reader.openShard(of: "out") == shard)
        let statistics = try #require(try store.reader.statistics(of: shard))
        let size = try job.integer("SELECT sum(bytes) FROM output WHERE state = 'done'")
        #expect(statistics.items == 2 && statistics.outputs == 2 && statistics.bytes == size)
        #expect(try job.integer("SELECT sum(shard_offset) FROM output WHERE state = 'done'") == 2048)
        #expect(try store.reader.counts()[.running] == 4, "the items go on being held")

        try await store.record(done(items[2]), of: items[2])
        let before = shard
        (shard.items, shard.bytes) = (4, 4096)
        await #expect(throws: JobStoreError.self) {
            try await store.record([packed(items[3], at: 2560), packed(items[2], at: 3584)], in: shard)
        }
        #expect(try store.reader.openShard(of: "out") == before)
        #expect(try store.reader.statistics(of: before) == statistics)
        #expect(try job.integer("SELECT count(*) FROM output WHERE shard_offset IS NOT NULL") == 2)

        // A run that dies leaves its items waiting, with what is in the shard for them.
        store.close()
        let again = try job.open()
        _ = try again.beginRun(version: "1")
        let claimed = try await again.claim(limit: 4)
        #expect(claimed.map { $0.outputs.first?.shardOffset } == [512, 1536, nil])
    }

    @Test("a shard is open until it is complete; its number stays known, that of an empty one is forgotten")
    func numbers() async throws {
        let (_, store, items) = try await heldJob()
        #expect(try store.reader.lastShard(of: "out") == nil)
        var shard = try await store.beginShard(number: 7, of: "out")
        await #expect(throws: JobStoreError.self) { try await store.beginShard(number: 8, of: "out") }
        (shard.items, shard.bytes) = (1, 1024)
        try await store.record([packed(items[0], at: 512)], in: shard)
        try await store.forget(shard)
        try await store.complete(shard)
        #expect(try store.reader.openShard(of: "out") == nil && store.reader.lastShard(of: "out") == 7)
        let empty = try await store.beginShard(number: 8, of: "out")
        try await store.forget(empty)
        #expect(try store.reader.openShard(of: "out") == nil && store.reader.lastShard(of: "out") == 7)
    }

    @Test("members of shards are no files: prune leaves them, and one that moves leaves nothing behind")
    func unwanted() async throws {
        let (_, store, items) = try await heldJob()
        var shard = try await store.beginShard(number: 0, of: "out")
        (shard.items, shard.bytes) = (1, 1024)
        try await store.record([packed(items[0], at: 512)], in: shard)
        var moved = done(items[0])
        moved.outputs[0].path = "photos/1.jpg"
        try await store.record(moved, of: items[0])
        var file = done(items[1])
        file.outputs[0].path = "photos/2.jpg"
        try await store.record(file, of: items[1])
        try await store.record([packed(items[2], at: 512)], in: shard)
        try await store.record(ItemResult(.done, originalSHA256: originalHash), of: items[2])
        try store.endRun(exit: 0)
        #expect(try store.reader.unwantedFiles().isEmpty)
        try store.plan([row(4)])
        #expect(try Set(store.reader.unwantedFiles().map(\.path)) == ["photos/1.jpg", "photos/2.jpg"])
    }

    @Test("an index is current until there is work, or another plan")
    func index() throws {
        let store = try TestJob().open()
        #expect(try !store.reader.isIndexCurrent("/out/index.csv"))
        try store.plan([row(1)])
        try store.recordIndex("/out/index.csv")
        #expect(try store.reader.isIndexCurrent("/out/index.csv"))
        #expect(try !store.reader.isIndexCurrent("/out/index.jsonl"))
        try store.plan([row(1), row(2)])
        #expect(try !store.reader.isIndexCurrent("/out/index.csv"))
        try store.recordIndex("/out/index.csv")
        try store.forgetIndexes()
        #expect(try !store.reader.isIndexCurrent("/out/index.csv"))
    }
}
