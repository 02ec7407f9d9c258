import Foundation

/// What the state keeps of a run, as the JSON of `run.counters_json`; while a run goes on only what it began with.
public struct RunCounters: Sendable, Codable {
    /// Items of the job that were finished when the run began to work; nil in states of earlier releases.
    public var finishedBefore: Int?
    /// As in the summary of the run.
    public var made, reused, skipped, failed, networkBytes, cacheBytes, edgeHits, edgeMisses: Int?

    init(finishedBefore: Int) {
        self.finishedBefore = finishedBefore
    }

    init(_ report: RunReport, finishedBefore: Int?) {
        self.finishedBefore = finishedBefore
        (made, reused, skipped, failed) = (report.made, report.reused, report.skipped, report.failed)
        (networkBytes, cacheBytes) = (report.networkBytes, report.cacheBytes)
        (edgeHits, edgeMisses) = (report.edge.hits, report.edge.misses)
    }

    init?(json: String?) {
        guard let json, let counters = try? JSONDecoder().decode(RunCounters.self, from: Data(json.utf8))
        else { return nil }
        self = counters
    }
}
