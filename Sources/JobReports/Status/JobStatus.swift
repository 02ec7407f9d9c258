import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// The status of a job.
///
/// In JSON, all keys are always present; unknown values are null.
public struct JobStatus: Sendable, Encodable {
    /// A run of the job; times are RFC 3339 in UTC.
    public struct Run: Sendable, Encodable {
        /// Its number, from 1.
        public let run: Int
        /// The start.
        public let started: String
        /// The end; nil during the run.
        @Nullable public package(set) var ended: String?
        /// Its exit code; nil during the run and after a crash.
        @Nullable public package(set) var exit: Int?
        /// The id of its process.
        public let process: Int
        /// True if its process is running, as far as this machine can tell.
        public let isGoingOn: Bool
        /// Its duration; nil during the run and after a crash.
        @Nullable public package(set) var seconds: Double?
        /// Outputs made (or, when warming, originals loaded); nil if not recorded.
        @Nullable public package(set) var made: Int?
        /// Items of the job that were failed or quarantined at its end.
        @Nullable public package(set) var failed: Int?
        /// Bytes of originals that came from the network.
        @Nullable public package(set) var networkBytes: Int?
    }

    /// Items of the job; nil if it was never planned.
    @Nullable public package(set) var items: Int?
    /// The number of items in each state.
    public let states: [String: Int]
    /// Failed and quarantined items by their error.
    public let failures: [String: Int]
    /// Skipped items by the reason of their first output.
    public package(set) var skips: [String: Int] = [:]
    /// Items per second that the active run has finished since its start; nil without one.
    @Nullable public package(set) var rate: Double?
    /// The seconds that the active run still needs at this rate.
    @Nullable public package(set) var eta: Double?
    /// The latest runs, newest first; empty for several partitions, each of which has its own.
    public let runs: [Run]
    /// The partition that it is about, such as `1/4`; nil for the whole job.
    @Nullable public package(set) var shard: String?
    /// The statuses of all partitions that have a state; empty unless it is about them.
    public package(set) var shards: [JobStatus] = []

    /// The names of the states, in the order in which an item passes them.
    public static let stateNames = ItemSelection.knownStates

    /// Items that need no more work.
    public var finished: Int {
        ["done", "skipped", "failed", "quarantined"].reduce(0) { $0 + (states[$1] ?? 0) }
    }

    /// The active run.
    public var current: Run? {
        runs.first.flatMap { $0.isGoingOn ? $0 : nil }
    }

    /// True during a run of the job or of one of its partitions.
    package var isGoingOn: Bool {
        current != nil || shards.contains { $0.current != nil }
    }
}

extension JobStatus {
    /// Reads the status of a job from its one state, or sums those of its partitions.
    /// - Throws: `RunError.machine`.
    package init(_ states: [JobState], isPartitioned: Bool) throws(RunError) {
        let statuses = try states.map { state throws(RunError) in try state.status() }
        self = isPartitioned ? JobStatus(shards: statuses) : statuses[0]
    }

    /// Sums the statuses of partitions; the time left is that of the partition which needs the longest.
    package init(shards: [JobStatus]) {
        let rates = shards.compactMap(\.rate)
        self.init(
            items: shards.compactMap(\.items).reduce(nil) { ($0 ?? 0) + $1 },
            states: Dictionary(
                uniqueKeysWithValues: Self.stateNames.map { name in
                    (name, shards.reduce(0) { $0 + ($1.states[name] ?? 0) })
                }
            ),
            failures: shards.reduce(into: [:]) { $0.merge($1.failures, uniquingKeysWith: +) },
            skips: shards.reduce(into: [:]) { $0.merge($1.skips, uniquingKeysWith: +) },
            rate: rates.isEmpty ? nil : rates.reduce(0, +),
            eta: shards.compactMap(\.eta).max(),
            runs: [],
            shards: shards
        )
    }
}

extension JobState {
    /// Returns the status of the job.
    /// - Throws: `RunError.machine`.
    public func status() throws(RunError) -> JobStatus {
        do {
            guard let reader, try reader.revision() != nil else {
                return JobStatus(
                    items: nil,
                    states: Self.states { _ in 0 },
                    failures: [:],
                    // A run whose lists could not be read has planned nothing.
                    runs: try reader?.runs().map(JobStatus.Run.init) ?? [],
                    shard: shard?.description
                )
            }
            let counts = try reader.counts()
            let runs = try reader.runs()
            var status = JobStatus(
                items: counts.total,
                states: Self.states { counts[$0] },
                failures: try reader.failures(),
                skips: try reader.skips(),
                runs: runs.map(JobStatus.Run.init),
                shard: shard?.description
            )
            if let current = status.current, let record = runs.first {
                let before = RunCounters(json: record.countersJSON)?.finishedBefore ?? status.finished
                let seconds = Date().timeIntervalSince1970 - Double(record.started) / 1000
                let rate = Double(max(0, status.finished - before)) / max(seconds, 0.001)
                status.rate = current.ended == nil ? rate : nil
                status.eta = rate > 0 ? Double(counts.unfinished) / rate : nil
            }
            return status
        } catch {
            throw RunError(error)
        }
    }

    private static func states(_ count: (ItemState) -> Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: ItemState.allCases.map { ($0.rawValue, count($0)) })
    }
}

extension JobStatus.Run {
    init(_ run: RunRecord) {
        let counters = RunCounters(json: run.countersJSON)
        let hasEnded = run.exit != nil
        self.init(
            run: Int(run.runID),
            started: Timestamp.text(run.started),
            ended: run.ended.map(Timestamp.text),
            exit: run.exit,
            process: Int(run.processID),
            isGoingOn: run.ended == nil && Self.isAlive(run),
            seconds: hasEnded ? run.ended.map { Double($0 - run.started) / 1000 } : nil,
            made: counters?.made,
            failed: counters?.failed,
            networkBytes: counters?.networkBytes
        )
    }

    /// Returns true if the process exists, or may exist on another machine.
    private static func isAlive(_ run: RunRecord) -> Bool {
        guard run.host == JobStore.hostName else { return true }
        return kill(run.processID, 0) == 0 || errno == EPERM
    }
}
