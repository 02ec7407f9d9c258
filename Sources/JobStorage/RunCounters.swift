import Foundation

/// The counters of a run, as stored in `run.counters_json`; during the run, only those known at its start.
public struct RunCounters: Sendable, Codable {
    /// Items of the job that were finished when the run began to work; nil in states of earlier releases.
    public var finishedBefore: Int?
    /// Items of the job that were done or skipped at its end; nil in states of earlier releases.
    public var done: Int?
    /// As in the summary of the run.
    public var made, reused, skipped, failed, networkBytes, cacheBytes, edgeHits, edgeMisses: Int?
    /// Failed items that no finished run had reported before; nil in states of earlier releases.
    public var newFailures: Int?
    /// Items that the run finished well although they had failed before; nil in states of earlier releases.
    public var recovered: Int?
    /// Items that joined and left the job since the run before; nil in the first run, and in states of earlier releases.
    public var added, removed: Int?

    /// The counters of a run that begins.
    public init(finishedBefore: Int) {
        self.finishedBefore = finishedBefore
    }

    /// Reads the counters from the text in the state; nil if it is not such an object.
    public init?(json: String?) {
        guard let json, let counters = try? JSONDecoder().decode(RunCounters.self, from: Data(json.utf8))
        else { return nil }
        self = counters
    }
}
