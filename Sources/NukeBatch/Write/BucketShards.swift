import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import ObjectStorage

/// The shards of a job in its bucket, which other jobs and other partitions of this one may share.
///
/// A shard is an upload in parts, so that nothing is seen of it before it is complete. An object `NNNNN.tar.part` reserves its
/// number meanwhile. The upload and its parts are recorded in the state; what is too small for a part is in a file beside it.
struct BucketShards: ShardStorage {
    let bucket: S3Store
    let store: JobStore
    let requests = StoppableRequests()
    private let destination: String
    /// The folder of the state.
    private let folder: Folder
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
        folder = try Folder(path: FilePath.folder(of: store.path))
    }

    var hasOpenShard: Bool {
        get throws(JobStoreError) { try store.reader.openShard(of: destination) != nil }
    }

    func openShard() async throws -> (record: ShardRecord, shard: any OpenShard) {
        if let record = try store.reader.openShard(of: destination) {
            if let shard = try await resume(record) { return (record, shard) }
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

    func name(of record: ShardRecord) -> String { Shard.name(record.number, .tar) }

    func itemError(_ error: any Error) -> ItemError {
        switch error {
        case let error as ItemError: error
        case let error as StoreError: ItemError(error, writing: bucket)
        default: ItemError(.local, "the shard cannot be written: \(error)")
        }
    }

    /// The upload of a shard whose identifier is recorded.
    func upload(_ record: ShardRecord, _ identifier: String) -> S3Upload {
        S3Upload(bucket, Shard.name(record.number, .tar), identifier: identifier)
    }

    /// Opens the file for the bytes behind the first parts; nil if there is none.
    /// - Throws: `FileError`.
    func tail(_ record: ShardRecord, part number: Int, create: Bool) throws(FileError) -> HeldFile? {
        try HeldFile(tailName(record, part: number), in: folder, create: create)
    }

    /// The size of that file; 0 if there is none.
    func tailSize(_ record: ShardRecord, part number: Int) -> Int {
        folder.status(of: tailName(record, part: number))?.size ?? 0
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

    /// Releases the number of a shard that is complete or given up.
    /// - Throws: `StoreError`.
    func release(_ record: ShardRecord) async throws(StoreError) {
        try await requests.perform { [bucket] () throws(StoreError) in
            try await bucket.delete(Shard.partName(record.number, .tar))
        }
    }

    private func tailName(_ record: ShardRecord, part number: Int) -> String {
        "\(Shard.tailPrefix(record, state: store.path))\(number).tail"
    }

    /// Aborts every upload of a shard and releases its number.
    private func giveUp(_ record: ShardRecord) async throws {
        try await requests.perform { [bucket] () throws(StoreError) in
            try await bucket.abortUploads(at: Shard.name(record.number, .tar))
        }
        if let identifier = record.upload { try await upload(record, identifier).abort() }
        try await release(record)
    }

    /// Returns an unfinished shard as it is recorded; nil if it is complete or lost.
    private func resume(_ record: ShardRecord) async throws -> BucketShard? {
        guard let identifier = record.upload else {
            // The run was killed before it recorded the upload, and so before it wrote anything. Unless it had come to reserve the
            // number, that may be another run's.
            let owner = owner(of: record)
            let isOwn = try await requests.perform { [bucket] () throws(StoreError) in
                let name = Shard.partName(record.number, .tar)
                guard try await bucket.head(name) != nil else { return false }
                return try await bucket.get(name) == owner
            }
            if isOwn { try await giveUp(record) }
            return nil
        }
        let parts = try store.reader.parts(of: record)
        let missing = record.bytes - parts.reduce(0) { $0 + $1.bytes }
        if try await isOpen(record, identifier), missing >= 0,
            tailSize(record, part: parts.count + 1) >= missing,
            let tail = try tail(record, part: parts.count + 1, create: missing == 0)
        {
            return BucketShard(self, record, upload: upload(record, identifier), parts: parts, tail: tail)
        }
        // The upload was completed, and the run was killed before that was recorded.
        let name = Shard.name(record.number, .tar)
        let facts = try await requests.perform { [bucket] () throws(StoreError) in try await bucket.head(name)
        }
        if facts?.size == record.bytes + TarMember.end.count, record.items > 0 {
            try await release(record)
        } else {
            if record.items > 0 {
                warn(
                    "the unfinished upload of \(bucket.location(name)) or its end beside the state is gone: run "
                        + "verify --repair to make its \(record.items) items again"
                )
            }
            try await giveUp(record)
        }
        try removeTails(record)
        return nil
    }

    /// True unless the store tells that the upload is no longer there.
    private func isOpen(_ record: ShardRecord, _ identifier: String) async throws(StoreError) -> Bool {
        do throws(StoreError) {
            return try await requests.perform { [bucket] () throws(StoreError) in
                try await bucket.uploads(Shard.name(record.number, .tar)).contains {
                    $0.identifier == identifier
                }
            }
        } catch  where error.reason == .refused || error.reason == .notFound {
            // The service does not list uploads, or these credentials may not; the next part will tell.
            return true
        }
    }

    private func begin() async throws -> (record: ShardRecord, shard: any OpenShard) {
        let last = try store.reader.lastShard(of: destination)
        let highest = try await highestNumber(after: last)
        if last == nil, let highest {
            warn(
                "\(bucket) has shards that are not in this job's state, up to \(Shard.name(highest, .tar)): new shards continue "
                    + "the numbering; remove the old shards if they hold the same images"
            )
        }
        var number = max(last ?? -1, highest ?? -1) + 1
        while true {
            var record = try await store.beginShard(number: number, of: destination)
            if try await reserve(record) {
                let name = Shard.name(number, .tar)
                let upload = try await requests.perform { [bucket] () throws(StoreError) in
                    try await S3Upload.begin(bucket, at: name, DestinationFiles.attributes(of: name))
                }
                try await store.record(upload: upload.identifier, of: record)
                record.upload = upload.identifier
                guard let tail = try tail(record, part: 1, create: true) else {
                    throw FileError("hold", tailName(record, part: 1), code: EWOULDBLOCK)
                }
                try sync()
                return (record, BucketShard(self, record, upload: upload, parts: [], tail: tail))
            }
            try await store.forget(record)
            number += 1
        }
    }

    /// The contents of the object that reserves a number: no other state has the same.
    private func owner(of record: ShardRecord) -> Data {
        let state = "\(ProcessInfo.processInfo.hostName)\n\(store.path)\n\(record.shardID)"
        return Data("reserved by the unfinished shard \(Digest.sha256.hex(of: state))\n".utf8)
    }

    /// Reserves the number of a shard; false if another run has it, or a complete shard.
    private func reserve(_ record: ShardRecord) async throws(StoreError) -> Bool {
        let owner = owner(of: record)
        return try await requests.perform { [bucket] () throws(StoreError) in
            guard try await bucket.add(owner, at: Shard.partName(record.number, .tar)) else {
                return false
            }
            guard try await bucket.head(Shard.name(record.number, .tar)) != nil else { return true }
            try await bucket.delete(Shard.partName(record.number, .tar))
            return false
        }
    }

    /// The highest number of a shard in the bucket above `last`; nil if there is none.
    private func highestNumber(after last: Int?) async throws(StoreError) -> Int? {
        var highest: Int?
        var key = last.map { Shard.name($0, .tar) }
        while true {
            let from = key
            let page = try await requests.perform { [bucket] () throws(StoreError) in
                try await bucket.list("", after: from)
            }
            highest = ([highest] + page.entries.map { Shard.number(of: $0.key) }).compactMap { $0 }.max()
            // Names of shards begin with a digit, so that none stands behind ":".
            guard let next = page.next, next < ":" else { return highest }
            key = next
        }
    }
}
