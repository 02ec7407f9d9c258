import JobStorage
import TestSupport
import Testing

@Suite struct ShardUploadTests {
    @Test("an upload and its parts are kept until the shard is complete")
    func parts() async throws {
        let folder = try TemporaryFolder()
        let store = try JobStore(path: folder.path("job.sqlite"))
        defer { store.close() }
        let shard = try await store.beginShard(number: 4, of: "s3://b/x")
        #expect(try store.reader.openShard(of: "s3://b/x")?.upload == nil)
        #expect(try store.reader.openShards().first?.shard.formatInBucket == .parquet)
        #expect(try store.reader.openShards().first?.shard.isReserved == false)
        try await store.record(upload: "id", of: shard)
        let parts = [
            ShardPart(number: 1, etag: "\"a\"", sha256: "s", bytes: 8),
            ShardPart(number: 2, etag: "\"b\"", sha256: nil, bytes: 9),
        ]
        for part in parts { try await store.record(part, of: shard) }
        #expect(try store.reader.openShard(of: "s3://b/x")?.upload == "id")
        #expect(try store.reader.parts(of: shard) == parts)
        let open = try store.reader.openShards()
        #expect(open.map(\.destination) == ["s3://b/x"] && open.first?.shard.number == 4)
        #expect(open.first?.shard.formatInBucket == .tar && open.first?.shard.isReserved == true)
        try await store.complete(shard)
        #expect(try store.reader.parts(of: shard).isEmpty && store.reader.openShards().isEmpty)
        let next = try await store.beginShard(number: 5, of: "s3://b/x")
        try await store.record(upload: "other", of: next)
        try await store.record(parts[0], of: next)
        try store.giveUp(next)
        #expect(try store.reader.openShard(of: "s3://b/x") == nil)
        #expect(try store.reader.parts(of: next).isEmpty)
    }
}
