package import Foundation
package import JobStorage

/// The tar files of a job, in a folder or in a bucket.
///
/// A number belongs to the run that has reserved it in the destination, and is never used again.
package protocol ShardStorage: Sendable {
    var store: JobStore { get }

    /// The destination, as the state names it.
    var destination: String { get }

    /// The destination, as people know it.
    var place: String { get }

    /// The beginning of all names: that of a partition in a fleet, whose shards share a folder; otherwise empty.
    var prefix: String { get }

    /// The format of new shards.
    var format: Shard.Format { get }

    /// Warns the user with a sentence.
    var warn: @Sendable (String) -> Void { get }

    /// Returns a shard that an earlier run left unfinished, as it is recorded, and its format; nil if it is complete or lost.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    func resume(_ record: ShardRecord) async throws -> (shard: any OpenShard, format: Shard.Format)?

    /// Begins a shard; nil if another run has its number, or a complete shard.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    func begin(_ record: ShardRecord) async throws -> (record: ShardRecord, shard: any OpenShard)?

    /// Returns the highest number of a shard in the destination, if it is above `last`.
    /// - Throws: `FileError`, `StoreError`.
    func highestNumber(after last: Int?) async throws -> Int?

    /// Removes the unfinished shard of a deleted state; its complete shards stay.
    /// - Throws: `FileError`, `StoreError`.
    func removeUnfinished(_ record: ShardRecord) async throws

    /// Checks that the destination is still where the run found it.
    /// - Throws: `DestinationTrouble.local` if it is not.
    func check() throws(DestinationTrouble)

    /// Ends requests that would take long, when the run is stopped.
    func stop()

    /// Returns the trouble that an error of this storage is.
    func trouble(_ error: any Error) -> DestinationTrouble
}

extension ShardStorage {
    /// True if an earlier run left a shard unfinished.
    var hasOpenShard: Bool {
        get throws(JobStoreError) { try store.reader.openShard(of: destination) != nil }
    }

    /// Returns the shard that an earlier run left unfinished, as it is recorded, or a new one.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    func openShard() async throws -> (record: ShardRecord, shard: any OpenShard) {
        if let record = try store.reader.openShard(of: destination) {
            if let (shard, written) = try await resume(record) {
                guard written != format else { return (record, shard) }
                // The manifest asks for the other format now, in which all outputs are made again, but may be changed back.
                try await shard.complete(record)
            }
            if record.items == 0 { try await store.forget(record) } else { try await store.complete(record) }
        }
        return try await beginShard()
    }

    private func beginShard() async throws -> (record: ShardRecord, shard: any OpenShard) {
        let last = try store.reader.lastShard(of: destination)
        // No other run knows the prefix of an attempt at a partition.
        let highest = prefix.isEmpty ? try await highestNumber(after: last) : nil
        if last == nil, let highest {
            warn(
                "\(place) has shards that are not in this job's state, up to \(name(highest, format)): new shards "
                    + "continue the numbering; remove the old shards if they hold the same images"
            )
        }
        var number = max(last ?? -1, highest ?? -1) + 1
        while true {
            let record = try await store.beginShard(number: number, of: destination)
            if let begun = try await begin(record) { return begun }
            try await store.forget(record)
            number += 1
        }
    }

    /// The final name of a shard.
    func name(of record: ShardRecord) -> String { name(record.number, format) }

    /// The name of a complete shard.
    func name(_ number: Int, _ format: Shard.Format) -> String { prefix + Shard.name(number, format) }

    /// The name of one that is being written.
    func partName(_ number: Int, _ format: Shard.Format) -> String { prefix + Shard.partName(number, format) }

    /// The name of the file with the statistics of a complete shard.
    func statisticsName(_ number: Int) -> String { prefix + Shard.statisticsName(number) }
}

/// A shard that is being written; its calls come one after the other.
package protocol OpenShard: Sendable {
    /// Writes bytes durably behind the recorded ones; what stands there already is cut off.
    /// - Throws: `FileError`, `DestinationTrouble`.
    func write(_ data: Data, at offset: Int) async throws

    /// Follows a commit of the shard's new length.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    func recorded(_ record: ShardRecord) async throws

    /// Ends the archive and gives it its final name; an archive without items is removed.
    /// - Throws: `FileError`, `StoreError`.
    func complete(_ record: ShardRecord) async throws
}
