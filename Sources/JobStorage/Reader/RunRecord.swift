/// A run of the job.
public struct RunRecord: Hashable, Sendable {
    /// The row's ID, from 1.
    public internal(set) var runID: Int64
    /// The version of the program.
    public let version: String
    /// The ID of its process.
    public let processID: Int32
    /// The machine's name.
    public let host: String
    /// The start, in milliseconds since 1970.
    public let started: Int64
    /// The end, in milliseconds since 1970; nil during the run; for a crashed run, the time when the crash was
    /// noticed.
    public var ended: Int64?
    /// The exit code; nil during the run and after a crash.
    public var exit: Int?
    /// Its totals, as given to `endRun`.
    public var countersJSON: String?
    /// The reason for which it ended early, in a sentence; nil if it did not.
    public var stopped: String?
    /// The differences of its manifest from that of the run before, as given to `noteManifest`; nil if they are not known.
    public var changesJSON: String?
    /// The number of runs that were refused since it began, because it or a command after it held the job.
    public var refused = 0
    /// The time when the last of them was refused, in milliseconds since 1970.
    public var lastRefused: Int64?
}
