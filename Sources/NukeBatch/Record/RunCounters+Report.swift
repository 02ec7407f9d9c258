import JobPlanning
import JobStorage

extension RunCounters {
    /// The counters of a run that has ended, with what its plan changed.
    init(_ report: RunReport, finishedBefore: Int?, _ plan: Planner.Summary) {
        self.init(finishedBefore: 0)
        self.finishedBefore = finishedBefore
        done = report.done
        (made, reused, skipped, failed) = (report.made, report.reused, report.skipped, report.failed)
        (networkBytes, cacheBytes) = (report.networkBytes, report.cacheBytes)
        (edgeHits, edgeMisses) = (report.edge.hits, report.edge.misses)
        (newFailures, recovered) = (report.newFailures, report.recovered)
        (added, removed) = (plan.added, plan.removed)
    }
}
