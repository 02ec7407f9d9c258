import Foundation
import JobPlanning
import JobStorage

/// The data of the report except the thumbnails; its size does not grow with the job.
struct ReportFigures {
    /// The most rows of a list.
    static let rows = 10

    let status: JobStatus
    let outputs: [OutputTotals]
    let hosts: [HostFailures]
    let failed: [ItemListing]
    let requestTime: Distribution
    let originalSize: Distribution
    let outputSize: Distribution
    let comparison: SizeComparison
    /// The last two runs that ended, newest first, with their counters.
    let ended: [(run: Int, counters: RunCounters)]
    let slowest: [RequestListing]
    let largest: [(item: ItemListing, bytes: Int)]

    init(_ state: JobState) throws(RunError) {
        status = try state.status()
        do {
            let reader = state.reader
            outputs = try reader?.outputTotals() ?? []
            hosts = try reader?.failuresByHost(limit: 2 * Self.rows) ?? []
            failed = try reader?.failedItems(limit: 2 * Self.rows).map(ItemListing.init) ?? []
            requestTime = try reader?.distribution(of: .requestTime) ?? Distribution()
            originalSize = try reader?.distribution(of: .originalSize) ?? Distribution()
            outputSize = try reader?.distribution(of: .outputSize) ?? Distribution()
            comparison = try reader?.sizeComparison() ?? SizeComparison()
            ended = try Array(
                (reader?.runs() ?? []).compactMap { run in
                    guard run.exit != nil, let counters = RunCounters(json: run.countersJSON) else {
                        return nil
                    }
                    return (Int(run.runID), counters)
                }.prefix(2)
            )
            slowest = try reader?.slowestRequests(limit: Self.rows).map(RequestListing.init) ?? []
            largest =
                try reader?.largestItems(limit: Self.rows).map { (ItemListing($0.item), $0.bytes) } ?? []
        } catch {
            throw RunError(error)
        }
    }
}
