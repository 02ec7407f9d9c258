import Foundation
public import JobManifest
public import JobPlanning
import JobStorage

/// The status of a job.
///
/// In JSON, all keys are always present; unknown values are null.
public struct JobStatus: Sendable, Encodable {
    /// Items of the job; nil if it was never planned.
    @Nullable public package(set) var items: Int?
    /// The number of items in each state.
    public let states: [String: Int]
    /// Failed and quarantined items by their error.
    public let failures: [String: Int]
    /// Skipped items by the reason of their first output.
    public package(set) var skips: [String: Int] = [:]
    /// Files that are less like their images than the manifest asks, by the reason: `quality` or `maxBytes`.
    public package(set) var shortfalls: [String: Int] = [:]
    /// Items per second that the active run has finished since its start; nil without one.
    @Nullable public package(set) var rate: Double?
    /// The seconds that the active run still needs at this rate.
    @Nullable public package(set) var eta: Double?
    /// The latest runs, newest first; empty for several partitions, each of which has its own.
    public let runs: [Run]
    /// The hosts and URLs that took longest; nil where they were not looked at.
    @Nullable public package(set) var slowest: Slowest?
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
    public var current: Run? { runs.first.flatMap { $0.isGoingOn ? $0 : nil } }

    /// True during a run of the job or of one of its partitions.
    package var isGoingOn: Bool { current != nil || shards.contains { $0.current != nil } }
}

extension JobStatus {
    /// Reads the status of a job from its one state, or sums those of its partitions.
    ///
    /// With `looksAtRequests`, it has the slowest hosts and URLs of the newest 10,000 requests in each state's log.
    /// - Throws: `RunError.machine`.
    package init(_ states: [JobState], isPartitioned: Bool, looksAtRequests: Bool = false) throws(RunError) {
        let statuses = try states.map { state throws(RunError) in try state.status() }
        self = isPartitioned ? JobStatus(shards: statuses) : statuses[0]
        guard looksAtRequests else { return }
        slowest = try RunError.wrapping {
            let readers = states.compactMap(\.reader)
            return Slowest(try readers.slowestResponses(last: Slowest.requestsRead, limit: Slowest.rows))
        }
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
            shortfalls: shards.reduce(into: [:]) { $0.merge($1.shortfalls, uniquingKeysWith: +) },
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
        try RunError.wrapping {
            guard let reader, try reader.revision() != nil else {
                return JobStatus(
                    items: nil,
                    states: Self.states { _ in 0 },
                    failures: [:],
                    // A run whose lists could not be read has planned nothing.
                    runs: try runs().map(JobStatus.Run.init),
                    shard: shard?.description
                )
            }
            let counts = try reader.counts()
            let runs = try runs()
            var status = JobStatus(
                items: counts.total,
                states: Self.states { counts[$0] },
                failures: try reader.failures(),
                skips: try reader.skips(),
                shortfalls: try reader.shortfalls(),
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
        }
    }

    /// Returns the last runs, newest first, with the runs that were refused meanwhile.
    private func runs() throws(JobStoreError) -> [RunRecord] {
        RefusedRun.adding(to: try reader?.runs() ?? [], beside: path)
    }

    private static func states(_ count: (ItemState) -> Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: ItemState.allCases.map { ($0.rawValue, count($0)) })
    }
}
