import Files
import Foundation
import JobPlanning
import JobStorage
import ObjectStorage

/// A shard in a bucket that is being written: parts of an upload, and a file beside the state with what follows them.
///
/// Each part has a file of its own, so that a part that was sent but not recorded is sent again with the same bytes.
actor BucketShard: OpenShard {
    /// The least size of a part that is not the last: S3 requires 5 MiB (Amazon S3 User Guide, "multipart upload limits").
    private static let partSize = 8 << 20
    /// An upload has 10,000 parts at most, so that parts become larger by and by: enough for 440 GiB.
    private static let partsOfOneSize = 1000

    private let shards: BucketShards
    private let record: ShardRecord
    private let upload: S3Upload
    private var parts: [ShardPart]
    private var tail: HeldFile
    /// A queue of one thread, which waits for the disk.
    private let disk = WorkQueue(name: "shard", width: 1)

    /// Continues a shard behind its recorded parts.
    init(
        _ shards: BucketShards,
        _ record: ShardRecord,
        upload: S3Upload,
        parts: [ShardPart],
        tail: HeldFile
    ) {
        (self.shards, self.record, self.upload) = (shards, record, upload)
        (self.parts, self.tail) = (parts, tail)
    }

    /// The bytes that are in parts.
    private var uploaded: Int { parts.reduce(0) { $0 + $1.bytes } }

    func write(_ data: Data, at offset: Int) async throws {
        let place = offset - uploaded
        try await disk.run { [tail] in try tail.write(data, at: place) }
    }

    func recorded(_ record: ShardRecord) async throws {
        let count = record.bytes - uploaded
        guard count >= Self.partSize * (1 + parts.count / Self.partsOfOneSize) else { return }
        let part = try await send(count)
        let next = try shards.tail(record, part: part.number + 1, create: true)
        guard let next else { throw FileError("hold", "the end of a shard", code: EWOULDBLOCK) }
        try shards.sync()
        try await shards.store.record(part, of: record)
        parts.append(part)
        try tail.remove()
        tail = next
    }

    func complete(_ record: ShardRecord) async throws {
        if record.items > 0 {
            try await write(TarMember.end, at: record.bytes)
            // Not recorded: a run that goes on from here could append items behind the end.
            let last = try await send(record.bytes + TarMember.end.count - uploaded)
            let all = (parts + [last]).map(S3Upload.Part.init)
            try await shards.requests.perform { [upload] () throws(StoreError) in
                _ = try await upload.complete(all)
            }
        } else {
            try await shards.requests.perform { [upload] () throws(StoreError) in try await upload.abort() }
        }
        try await shards.finish(record, .tar)
    }

    /// Sends the first bytes of the file as the next part.
    private func send(_ count: Int) async throws -> ShardPart {
        let number = parts.count + 1
        let data = try await disk.run { [tail] in try tail.read(count: count) }
        let part = try await shards.requests.perform { [upload] () throws(StoreError) in
            try await upload.put(Payload(data), asPart: number)
        }
        return ShardPart(number: part.number, etag: part.etag, sha256: part.sha256, bytes: part.size)
    }
}

extension S3Upload.Part {
    /// A recorded part.
    fileprivate init(_ part: ShardPart) {
        self.init(number: part.number, etag: part.etag, sha256: part.sha256, size: part.bytes)
    }
}
