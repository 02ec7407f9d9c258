import Files
import Foundation
import JobPlanning
import JobStorage
import ObjectStorage

/// New shards.
extension BucketShards {
    func begin() async throws -> (record: ShardRecord, shard: any OpenShard) {
        let last = try store.reader.lastShard(of: destination)
        // No other run knows the prefix of an attempt at a partition.
        let highest = prefix.isEmpty ? try await highestNumber(after: last) : nil
        if last == nil, let highest {
            warn(
                "\(bucket) has shards that are not in this job's state, up to \(name(highest, format)): new shards "
                    + "continue the numbering; remove the old shards if they hold the same images"
            )
        }
        var number = max(last ?? -1, highest ?? -1) + 1
        while true {
            let record = try await store.beginShard(number: number, of: destination)
            if try await reserve(record) {
                return format == .tar ? try await beginUpload(record) : (record, try beginArchive(record))
            }
            try await store.forget(record)
            number += 1
        }
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

    private func beginArchive(_ record: ShardRecord) throws(FileError) -> BucketArchive {
        BucketArchive(shards: self, file: try newTail(record))
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
            guard try await bucket.add(owner, at: partName(record.number, format)) else {
                return false
            }
            guard try await bucket.head(name(record.number, format)) != nil else { return true }
            try await bucket.delete(partName(record.number, format))
            return false
        }
    }

    /// The highest number of a shard in the bucket above `last`; nil if there is none.
    private func highestNumber(after last: Int?) async throws(StoreError) -> Int? {
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
