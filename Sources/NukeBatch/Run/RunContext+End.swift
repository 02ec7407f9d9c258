import JobPlanning
import JobStorage

extension RunContext {
    /// Ends the run in the state, and shows its report.
    /// - Throws: `JobStoreError`.
    func end(
        after plan: Planner.Summary,
        finishedBefore: Int?,
        _ show: @Sendable (RunReport) -> Bool
    ) async throws(JobStoreError) -> RunReport {
        try await RefusedRun.count(in: store).forEach(statistics.warn)
        let known = try store.reader.reportedWarnings()
        let report = statistics.finish(
            counts: try store.reader.counts(),
            newFailures: try store.reader.newFailures(limit: 10),
            failedItems: try store.reader.failedItems(limit: 5),
            failOn: options.failOn,
            control: control,
            isPlanned: plan.isComplete,
            warnings: plan.warnings,
            knownWarnings: known.all
        )
        try store.endRun(
            exit: Int(report.exit.rawValue),
            countersJSON: JSONLine.text(RunCounters(report, finishedBefore: finishedBefore, plan)),
            stopped: report.trouble
        )
        statistics.announceEnd(report)
        // A run that did not go through may be read by nobody, so that its failures are new again.
        let isReported = show(report) && [.done, .someFailed].contains(report.exit)
        if isReported { try store.markFailuresReported() }
        let isKnown = { (warning: String) in isReported || known.all.contains(warning) }
        // A run that kept its plan has not looked for what is wrong with it.
        let ofPlan = plan.isNew ? Set(plan.warnings.filter(isKnown)) : known.plan
        try store.noteReported(ReportedWarnings(plan: ofPlan, run: Set(report.allWarnings.filter(isKnown))))
        return report
    }
}

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
