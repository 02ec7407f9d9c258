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
    /// The number of outputs by their whole points of SSIMULACRA2.
    let scores: [Int: Int]
    let comparison: SizeComparison
    /// The last two runs of each state that ended, newest first, with their counters.
    let ended: [[(run: Int, counters: RunCounters)]]
    let slowest: JobStatus.Slowest
    let largest: [(item: ItemListing, bytes: Int)]

    /// Reads the states of a job: one, or those of its partitions.
    init(_ states: [JobState], isPartitioned: Bool) throws(RunError) {
        status = try JobStatus(states, isPartitioned: isPartitioned)
        do {
            let readers = states.compactMap(\.reader)
            outputs = try readers.outputTotals()
            hosts = try readers.failuresByHost(limit: 2 * Self.rows)
            failed = try readers.failedItems(limit: 2 * Self.rows).map(ItemListing.init)
            requestTime = try readers.distribution(of: .requestTime)
            originalSize = try readers.distribution(of: .originalSize)
            outputSize = try readers.distribution(of: .outputSize)
            scores = try readers.scores()
            comparison = try readers.sizeComparison()
            ended = try readers.map { reader in
                let runs = try reader.runs().compactMap { run -> (run: Int, counters: RunCounters)? in
                    guard run.exit != nil, let counters = RunCounters(json: run.countersJSON) else {
                        return nil
                    }
                    return (Int(run.runID), counters)
                }
                return Array(runs.prefix(2))
            }
            slowest = JobStatus.Slowest(try readers.slowestResponses(limit: Self.rows))
            largest = try readers.largestItems(limit: Self.rows).map { (ItemListing($0.item), $0.bytes) }
        } catch {
            throw RunError(error)
        }
    }
}
