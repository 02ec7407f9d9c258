package import Foundation
package import JobStorage

/// Appends items to the open shard, many with one sync of the file and one commit of the state.
///
/// The bytes are made durable first: in the shard, or for a bucket in a file beside the state until they are a part of the
/// upload. Then one transaction records the rows of all items and the shard's new length.
/// Bytes beyond that length, left by a killed run, are cut off; bytes before it are never written again. So every
/// recorded item is in exactly one shard, once. A full shard, or the last one of a finished job, gets its
/// end-of-archive marker and its final name, and is not changed any more.
package actor ShardWriter {
    /// The most items and bytes that share a sync; more would delay the first of them.
    private static let (batchItems, batchBytes) = (256, 16 << 20)

    /// An item's members, one after the other, and its outputs with offsets from the start of the first member.
    package struct Entry: Sendable {
        let item: ClaimedItem
        let members: Data
        /// The outputs; finished ones have the member's name as their path.
        let outputs: [OutputResult]

        /// Creates an entry from its parts.
        package init(item: ClaimedItem, members: Data, outputs: [OutputResult]) {
            (self.item, self.members, self.outputs) = (item, members, outputs)
        }
    }

    private struct Waiting {
        let entry: Entry
        let continuation: CheckedContinuation<[OutputResult], any Error>
    }

    package nonisolated let files: any ShardStorage
    private let store: JobStore
    private let itemsPerFile: Int
    private var waiting: [Waiting] = []
    private var isWriting = false
    private var open: (record: ShardRecord, shard: any OpenShard)?
    /// The first error; after a failed sync the contents of the disk are unknown, so this run writes no more.
    private var failure: (any Error)?

    init(_ files: any ShardStorage, _ store: JobStore, itemsPerFile: Int) {
        self.files = files
        self.store = store
        self.itemsPerFile = itemsPerFile
    }

    /// Returns the entry's outputs, with their positions, once they are durable and recorded.
    /// - Throws: `DestinationTrouble`, which no item caused.
    package func append(_ entry: Entry) async throws(DestinationTrouble) -> [OutputResult] {
        do {
            return try await withCheckedThrowingContinuation { continuation in
                waiting.append(Waiting(entry: entry, continuation: continuation))
                guard !isWriting else { return }
                isWriting = true
                Task { await writeWaiting() }
            }
        } catch {
            throw files.trouble(error)
        }
    }

    /// Completes the last shard; for a job without unfinished items.
    /// - Throws: `FileError`, `JobStoreError`.
    func finish() async throws {
        if let failure { throw failure }
        if open == nil, try files.hasOpenShard { open = try await files.openShard() }
        try await complete()
    }

    /// Writes the waiting entries in batches; entries that arrive during a sync form the next batch.
    private func writeWaiting() async {
        while !waiting.isEmpty {
            let batch = await nextBatch()
            do {
                if let failure { throw failure }
                let results = try await write(batch.map(\.entry))
                for (one, outputs) in zip(batch, results) { one.continuation.resume(returning: outputs) }
            } catch {
                failure = failure ?? error
                for one in batch { one.continuation.resume(throwing: error) }
            }
        }
        isWriting = false
    }

    /// Returns the next batch that fits into the shard; opens the shard, or the next one if it is full.
    private func nextBatch() async -> [Waiting] {
        do {
            if failure == nil {
                if let record = open?.record, record.items >= itemsPerFile { try await complete() }
                if open == nil { open = try await files.openShard() }
                // A shard left by an earlier run may be full now, if the manifest's limit has changed.
                if let record = open?.record, record.items >= itemsPerFile {
                    try await complete()
                    open = try await files.openShard()
                }
            }
        } catch {
            failure = error
        }
        let room = min(Self.batchItems, max(1, itemsPerFile - (open?.record.items ?? 0)))
        var (count, bytes) = (0, 0)
        for one in waiting.prefix(room) {
            bytes += one.entry.members.count
            if count > 0, bytes > Self.batchBytes { break }
            count += 1
        }
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    private func write(_ entries: [Entry]) async throws -> [[OutputResult]] {
        guard let (before, shard) = open else { return [] }
        var record = before
        var bytes = Data(capacity: entries.reduce(0) { $0 + $1.members.count })
        var packed: [PackedItem] = []
        let name = files.name(of: before)
        for entry in entries {
            let start = before.bytes + bytes.count
            let outputs = entry.outputs.map { $0.moved(by: start, into: name) }
            packed.append(PackedItem(entry.item, outputs: outputs))
            bytes += entry.members
        }
        try await shard.write(bytes, at: before.bytes)
        record.items += entries.count
        record.bytes += bytes.count
        try await store.record(packed, in: record)
        open = (record, shard)
        do {
            try await shard.recorded(record)
            if record.items >= itemsPerFile { try await complete() }
        } catch {
            // These items are durable and recorded; later ones cannot be written.
            failure = error
        }
        return packed.map(\.outputs)
    }

    private func complete() async throws {
        guard let (record, shard) = open else { return }
        try await shard.complete(record)
        if record.items > 0 { try await store.complete(record) } else { try await store.forget(record) }
        open = nil
    }
}

extension OutputResult {
    /// Returns the output of a member with its final position in the shard.
    fileprivate func moved(by start: Int, into shard: String) -> OutputResult {
        guard let offset = shardOffset, let name = path else { return self }
        var output = self
        output.shardOffset = start + offset
        output.path = "\(shard)/\(name)"
        return output
    }
}
