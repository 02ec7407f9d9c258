import Files
import Foundation
import JobPlanning
import JobStorage
import ObjectStorage

/// New shards.
extension BucketShards {
    func begin(_ record: ShardRecord) async throws -> (record: ShardRecord, shard: any OpenShard)? {
        guard try await reserve(record) else { return nil }
        guard format == .parquet else { return try await beginUpload(record) }
        return (record, BucketArchive(shards: self, file: try newTail(record)))
    }

    private func beginUpload(_ record: ShardRecord) async throws -> (
        record: ShardRecord, shard: any OpenShard
    ) {
        var record = record
        let name = self.name(record.number, .tar)
        let upload = try await requests.perform { [bucket] () throws(StoreError) in
            try await S3Upload.begin(bucket, at: name, DestinationFiles.attributes(of: name))
        }
        try await store.record(upload: upload.identifier, of: record)
        record.upload = upload.identifier
        let tail = try newTail(record)
        return (record, BucketShard(self, record, upload: upload, parts: [], tail: tail))
    }

    private func newTail(_ record: ShardRecord) throws(FileError) -> HeldFile {
        guard let tail = try tail(record, part: 1, create: true) else {
            throw FileError("hold", tailName(record, part: 1), code: EWOULDBLOCK)
        }
        try sync()
        return tail
    }

    /// Reserves the number of a shard; false if another run has it, or a complete shard.
    private func reserve(_ record: ShardRecord) async throws(StoreError) -> Bool {
        let owner = Shard.reservation(of: record, state: store.path)
        return try await requests.perform { [bucket, format] () throws(StoreError) in
            guard try await bucket.add(Payload(owner), at: partName(record.number, format)) else {
                return false
            }
            guard try await bucket.head(name(record.number, format)) != nil else { return true }
            try await bucket.delete(partName(record.number, format))
            return false
        }
    }

    func highestNumber(after last: Int?) async throws(StoreError) -> Int? {
        var highest: Int?
        var progress = ListingProgress()
        var key = last.map { name($0, format) }
        while true {
            let from = key
            let page = try await requests.perform { [bucket] () throws(StoreError) in
                try await bucket.list("", after: from)
            }
            highest = ([highest] + page.entries.map { Shard.number(of: $0.key) }).compactMap { $0 }.max()
            // Names of shards begin with a digit, so that none stands behind ":".
            guard let next = page.next, next < ":" else { return highest }
            try progress.goOn(behind: next, in: "\(bucket)")
            key = next
        }
    }
}
