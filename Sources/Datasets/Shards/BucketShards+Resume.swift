import Files
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// Shards that an earlier run has begun.
extension BucketShards {
    func resume(_ record: ShardRecord) async throws -> (shard: any OpenShard, format: Shard.Format)? {
        if let identifier = record.upload {
            return try await resumeUpload(record, identifier).map { ($0, .tar) }
        }
        if try record.items > 0 || tailSize(record, part: 1) != nil {
            return try await resumeArchive(record).map { ($0, .parquet) }
        }
        // The run was killed before it wrote anything.
        try await giveUp(record)
        return nil
    }

    private func resumeUpload(_ record: ShardRecord, _ identifier: String) async throws -> BucketShard? {
        let parts = try store.reader.parts(of: record)
        let missing = record.bytes - parts.reduce(0) { $0 + $1.bytes }
        if try await isOpen(record, identifier), missing >= 0,
            try tailSize(record, part: parts.count + 1) ?? 0 >= missing,
            let tail = try tail(record, part: parts.count + 1, create: missing == 0)
        {
            let upload = S3Upload(bucket, name(record.number, .tar), identifier: identifier)
            return BucketShard(self, record, upload: upload, parts: parts, tail: tail)
        }
        // The upload was completed, and the run was killed before that was recorded.
        let facts = try await facts(of: name(record.number, .tar))
        if facts?.size == record.bytes + TarMember.end.count, record.items > 0 {
            try await finish(record, .tar)
            return nil
        }
        warnOfLoss(record, "the unfinished upload of \(bucket.location(name(record.number, .tar)))")
        try await giveUp(record)
        try removeTails(record)
        return nil
    }

    private func resumeArchive(_ record: ShardRecord) async throws -> BucketArchive? {
        let name = self.name(record.number, .parquet)
        if try await facts(of: name) != nil {
            // It was made of the archive, and the run was killed before that was recorded.
            try await finish(record, .parquet)
            return nil
        }
        if let size = try tailSize(record, part: 1), size >= record.bytes,
            let archive = try tail(record, part: 1, create: false)
        {
            return BucketArchive(shards: self, file: archive)
        }
        warnOfLoss(record, "the unfinished shard \(bucket.location(name))")
        try await giveUp(record)
        try removeTails(record)
        return nil
    }

    private func warnOfLoss(_ record: ShardRecord, _ what: String) {
        guard record.items > 0 else { return }
        warn(
            "\(what) or its end beside the state is gone: run verify --repair to make its \(Quantity.count(record.items, "item")) again"
        )
    }

    /// Aborts every upload of a shard and releases its number.
    func giveUp(_ record: ShardRecord) async throws {
        for format in Shard.Format.allCases {
            // Unless the run had come to reserve the number, that may be another run's.
            var isOwn = record.isReserved && format == record.formatInBucket
            if !isOwn { isOwn = try await hasReserved(record, format) }
            guard isOwn else { continue }
            let name = self.name(record.number, format)
            try await requests.perform { [bucket] () throws(StoreError) in
                try await bucket.abortUploads(at: name)
            }
            try await release(record, format)
        }
        guard let identifier = record.upload else { return }
        try await S3Upload(bucket, name(record.number, .tar), identifier: identifier).abort()
    }

    private func hasReserved(_ record: ShardRecord, _ format: Shard.Format) async throws(StoreError) -> Bool {
        let owner = Shard.reservation(of: record, state: store.path)
        return try await requests.perform { [bucket] () throws(StoreError) in
            let name = self.partName(record.number, format)
            guard let facts = try await bucket.head(name), facts.size == owner.count else { return false }
            return try await bucket.get(name, limit: owner.count) == owner
        }
    }

    /// True unless the store reports that the upload is no longer there.
    private func isOpen(_ record: ShardRecord, _ identifier: String) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try await requests.perform { [bucket] () throws(StoreError) in
                try await bucket.uploads(name(record.number, .tar)).contains {
                    $0.identifier == identifier
                }
            }
        } catch  where error.reason == .refused || error.reason == .notFound {
            // The service does not list uploads, or these credentials may not; the next part will show.
            return true
        }
    }
}
