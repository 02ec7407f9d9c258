package import Foundation
package import JobStorage

/// The tar files of a job, in a folder or in a bucket.
///
/// A number belongs to the run that has reserved it in the destination, and is never used again.
package protocol ShardStorage: Sendable {
    /// The beginning of all names: that of a partition in a fleet, whose shards share a folder; otherwise empty.
    var prefix: String { get }

    /// True if an earlier run left a shard unfinished.
    var hasOpenShard: Bool { get throws(JobStoreError) }

    /// Returns the final name of a shard.
    func name(of record: ShardRecord) -> String

    /// Returns the shard that an earlier run left unfinished, as it is recorded, or a new one.
    /// - Throws: `FileError`, `StoreError`, `JobStoreError`.
    func openShard() async throws -> (record: ShardRecord, shard: any OpenShard)

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
