import Foundation

/// The facts of a commit that a status keeps.
struct CommittedPartition: Sendable {
    let partition: Int
    let counts: AttemptCounts
    /// The machine that worked.
    let node: String
    let started: Date
    let ended: Date
    let networkBytes: Int

    /// Takes what is needed of a commit; nil without its times.
    init?(_ commit: PartitionCommit) {
        guard let started = StoredTime.date(commit.started), let ended = StoredTime.date(commit.ended) else {
            return nil
        }
        (partition, counts, networkBytes) = (commit.partition, commit.counts, commit.networkBytes)
        (node, self.started, self.ended) = (commit.node, started, ended)
    }
}
