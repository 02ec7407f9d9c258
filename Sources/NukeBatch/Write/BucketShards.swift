import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The shards of a job in its bucket, which other jobs and other partitions of this one may share.
///
/// Nothing is seen of a shard before it is complete. An object `NNNNN.tar.part` reserves its number meanwhile. A tar file is an
/// upload in parts, which are recorded in the state; what is too small for a part is in a file beside it. One in Parquet is a
/// tar file beside the state until it is full.
struct BucketShards: ShardStorage {
    let bucket: S3Store
    let store: JobStore
    let requests = StoppableRequests()
    let parquet: ParquetShard
    /// The folder of the state.
    let folder: Folder
    let prefix: String
    private let format: Shard.Format
    private let destination: String
    private let warn: @Sendable (String) -> Void

    /// Opens the shards of `manifest`; nothing is sent.
    /// - Throws: `FileError`.
    init(
        _ manifest: Manifest,
        _ store: JobStore,
        bucket: S3Store,
        warn: @escaping @Sendable (String) -> Void
    ) throws(FileError) {
        (self.bucket, self.store, self.warn) = (bucket, store, warn)
        destination = manifest.destinationText
        prefix = manifest.dataset?.shardPrefix ?? ""
        format = manifest.dataset?.pack == .parquet ? .parquet : .tar
        parquet = ParquetShard(manifest, store.reader)
        folder = try Folder(path: FilePath.folder(of: store.path))
    }

    var hasOpenShard: Bool {
        get throws(JobStoreError) { try store.reader.openShard(of: destination) != nil }
    }

    func openShard() async throws -> (record: ShardRecord, shard: any OpenShard) {
        if let record = try store.reader.openShard(of: destination) {
            if let (shard, written) = try await resume(record) {
                guard written != format else { return (record, shard) }
                // The manifest asks for the other format now, in which all outputs are made again, but may be changed back.
                try await shard.complete(record)
            }
            if record.items == 0 { try await store.forget(record) } else { try await store.complete(record) }
        }
        return try await begin()
    }

    func removeUnfinished(_ record: ShardRecord) async throws {
        try await giveUp(record)
        try removeTails(record)
    }

    func check() throws(ItemError) {}

    func stop() {
        requests.stop()
    }

    func name(of record: ShardRecord) -> String { name(record.number, format) }

    func itemError(_ error: any Error) -> ItemError {
        switch error {
        case let error as ItemError: error
        case let error as StoreError: ItemError(error, writing: bucket)
        default: ItemError(.local, "the shard cannot be written: \(error)")
        }
    }

    /// Opens the file for the bytes behind the first parts; nil if there is none.
    /// - Throws: `FileError`.
    func tail(_ record: ShardRecord, part number: Int, create: Bool) throws(FileError) -> HeldFile? {
        try HeldFile(tailName(record, part: number), in: folder, create: create)
    }

    /// Removes the files of a shard beside the state.
    /// - Throws: `FileError`.
    func removeTails(_ record: ShardRecord) throws(FileError) {
        let prefix = Shard.tailPrefix(record, state: store.path)
        for name in try folder.names() where name.hasPrefix(prefix) {
            try folder.remove(name)
        }
    }

    /// Makes the name of a new file durable.
    /// - Throws: `FileError`.
    func sync() throws(FileError) {
        try folder.sync()
    }

    /// Ends a shard whose object is complete: writes its statistics, releases its number, and removes its files beside the state.
    ///
    /// A run that is killed meanwhile leaves the rest to the next one, as the state does not say yet that the shard is complete.
    /// - Throws: `StoreError`, `JobStoreError`, `FileError`.
    func finish(_ record: ShardRecord, _ format: Shard.Format) async throws {
        if record.items > 0, let statistics = try store.reader.statistics(of: record) {
            let name = self.statisticsName(record.number)
            try await requests.perform { [bucket] () throws(StoreError) in
                _ = try await bucket.put(statistics.json, at: name, DestinationFiles.attributes(of: name))
            }
        }
        try await release(record, format)
        try removeTails(record)
    }

    /// Releases the number of a shard that is complete or given up.
    /// - Throws: `StoreError`.
    func release(_ record: ShardRecord, _ format: Shard.Format) async throws(StoreError) {
        try await requests.perform { [bucket] () throws(StoreError) in
            try await bucket.delete(partName(record.number, format))
        }
    }

    private func tailName(_ record: ShardRecord, part number: Int) -> String {
        "\(Shard.tailPrefix(record, state: store.path))\(number).tail"
    }

    /// The size of the file for the bytes behind the first parts; nil if there is none.
    private func tailSize(_ record: ShardRecord, part number: Int) throws(FileError) -> Int? {
        try folder.examine(tailName(record, part: number))?.size
    }

    private func facts(of name: String) async throws(StoreError) -> ObjectFacts? {
        try await requests.perform { [bucket] () throws(StoreError) in try await bucket.head(name) }
    }
}

/// Shards that an earlier run has begun.
extension BucketShards {
    /// Returns an unfinished shard as it is recorded, and its format; nil if it is complete or lost.
    private func resume(_ record: ShardRecord) async throws -> (any OpenShard, Shard.Format)? {
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
            "\(what) or its end beside the state is gone: run verify --repair to make its \(record.items) items again"
        )
    }

    /// Aborts every upload of a shard and releases its number.
    private func giveUp(_ record: ShardRecord) async throws {
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

/// New shards.
extension BucketShards {
    private func begin() async throws -> (record: ShardRecord, shard: any OpenShard) {
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
