import JobStorage

extension RunCounters {
    /// The counters of a run that has ended.
    init(_ report: RunReport, finishedBefore: Int?) {
        self.init(finishedBefore: 0)
        self.finishedBefore = finishedBefore
        done = report.done
        (made, reused, skipped, failed) = (report.made, report.reused, report.skipped, report.failed)
        (networkBytes, cacheBytes) = (report.networkBytes, report.cacheBytes)
        (edgeHits, edgeMisses) = (report.edge.hits, report.edge.misses)
    }
}
