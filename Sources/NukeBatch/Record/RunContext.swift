import Files
import JobManifest
import JobPlanning
import JobStorage

/// The values shared by the parts of one run.
struct RunContext: Sendable {
    /// The manifest with the options applied.
    let manifest: Manifest
    let options: RunOptions
    let store: JobStore
    let statistics: RunStatistics
    let control: RunControl
    let requests: RequestLog
    /// The time since an earlier run of the job may have asked a host last; nil without such a run.
    let idle: Duration?
    /// The job's earlier runs.
    let runs: RunTimes
    /// The limit on the requests to the destination's bucket; nil for a folder.
    let destinationPacing: BucketPacing?
    /// The unfinished shard of a state that this run has deleted.
    var forgotten: ShardRecord?
}
