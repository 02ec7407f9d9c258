import Foundation
package import JobStorage

/// The times of a job's earlier runs, by which a job that cron starts counts nights.
///
/// Cron starts a run at the same minute each night, and the run asks some seconds or hours later. An interval of a day has
/// passed in the next night all the same.
package struct RunTimes: Sendable {
    /// The runs that are looked at: half a year of hourly ones.
    private static let limit = 4_000

    /// The runs, the newest first; one that has not ended has no end.
    private let runs: [(started: Date, ended: Date?)]

    /// No runs: each answer counts from its own time.
    package init() {
        runs = []
    }

    /// Reads the runs of a job's state.
    /// - Throws: `JobStoreError`.
    package init(_ reader: JobReader) throws(JobStoreError) {
        runs = try reader.runs(limit: Self.limit).map { ($0.startDate, $0.endDate) }
    }

    /// Returns the start of the run that was active at a time; that time itself if none was.
    func start(ofRunAt time: Date) -> Date {
        runs.first { $0.started <= time && time <= $0.ended ?? .distantFuture }?.started ?? time
    }

    /// Returns an interval less what a start may be early: 5 % of it, at most an hour.
    static func forgiving(_ interval: Duration) -> Duration {
        interval - min(interval / 20, .seconds(3600))
    }
}

extension RunRecord {
    fileprivate var startDate: Date { Date(timeIntervalSince1970: Double(started) / 1000) }
    fileprivate var endDate: Date? { ended.map { Date(timeIntervalSince1970: Double($0) / 1000) } }
}
