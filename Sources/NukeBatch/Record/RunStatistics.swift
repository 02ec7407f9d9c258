import Foundation
import JobPlanning
import JobStorage
import Originals
import Synchronization

/// Counts a run's results and reports its events to the listener.
final class RunStatistics: Sendable {
    private struct State {
        var report = RunReport()
        var progress = RunProgress()
        var started = ContinuousClock.now
        var waits: RunWaits?
        var queues: [String: OperationQueue] = [:]
    }

    private let state = Mutex(State())
    /// Nil if nobody listens, so that no events are made.
    private let listener: (@Sendable (RunEvent) -> Void)?
    /// Serialises the listener's calls.
    ///
    /// A mutex that holds the closure would wrap it once more with each call.
    private let turn = Mutex(())
    private let began = ContinuousClock.now

    init(onEvent: (@Sendable (RunEvent) -> Void)?) {
        listener = onEvent
    }

    /// The progress of the run so far.
    var progress: RunProgress {
        let (progress, waits, queues) = state.withLock { state in
            var progress = state.progress
            progress.finishedNow = state.report.finishedNow
            progress.networkBytes = state.report.networkBytes
            progress.cacheBytes = state.report.cacheBytes
            progress.made = state.report.made
            progress.failures = state.report.failures
            progress.seconds = Self.seconds(since: state.started)
            return (progress, state.waits, state.queues)
        }
        var result = progress
        let waiting = waits?.all ?? []
        result.waiting = waiting.compactMap(RunProgress.Wait.init).sorted { $1.seconds < $0.seconds }
        result.queues = queues.mapValues(\.operationCount)
        if waits != nil { result.queues["host"] = waiting.reduce(0) { $0 + $1.count } }
        return result
    }

    /// Begins a stage before the first item.
    func begin(stage: String) {
        state.withLock { $0.progress.stage = stage }
    }

    /// Ends a stage before the outputs of the first item.
    func endStage() {
        state.withLock { $0.progress.stage = nil }
    }

    /// Begins the work on the items.
    func begin(job: String, counts: JobCounts) {
        state.withLock { state in
            state.progress.stage = nil
            state.progress.total = counts.total
            state.progress.done = counts[.done] + counts[.skipped]
            state.progress.failed = counts[.failed] + counts[.quarantined]
            state.started = .now
        }
        tell(.runStarted(job: job, items: counts.total))
    }

    /// Reports from now on the hosts that keep requests waiting.
    func watch(_ waits: RunWaits) {
        state.withLock { $0.waits = waits }
    }

    /// Reports from now on the lengths of these queues.
    func watch(queues: [String: OperationQueue]) {
        state.withLock { $0.queues = queues }
    }

    /// Records the hits and misses of caches in front of the origins.
    func add(_ edge: EdgeCounts) {
        state.withLock { $0.report.edge = edge }
    }

    /// Adds a warning to the report.
    func warn(_ sentence: String) {
        state.withLock { $0.report.warnings.append(sentence) }
    }

    /// Records that a source could not be had: a failure of the run, which works on its last plan.
    func loseSource(_ sentence: String) {
        state.withLock { state in
            state.report.warnings.append(sentence)
            state.report.lostSources.append(sentence)
        }
    }

    /// Counts an item whose original was loaded, once its record is durable.
    func add(_ outcome: ItemOutcome) {
        state.withLock { state in
            state.report.add(outcome.original, of: outcome.item)
            let isWarming = outcome.outputs.isEmpty && outcome.reused.isEmpty
            if isWarming, outcome.original.source == .network { state.report.made += 1 }
            if isWarming, outcome.original.source != .network { state.report.reused += 1 }
            state.report.made += outcome.outputs.count { $0.state == .done }
        }
        let result = outcome.result(attempt: nil).outcome
        add(outcome.item, result, outputs: outcome.outputs, reusing: outcome.reused, facts: outcome.facts)
    }

    /// Counts an original that was loaded to be compared with others.
    func add(_ seen: SeenOriginal, of item: ClaimedItem) {
        state.withLock { state in
            state.progress.compared += 1
            state.progress.stage =
                "loading originals to compare: \(Quantity.grouped(state.progress.compared))"
            if let original = seen.original { state.report.add(original, of: item) }
        }
    }

    /// Counts an item with its outputs and those that existed already, once its record is durable.
    func add(
        _ item: ClaimedItem,
        _ result: ItemResult.Outcome,
        outputs: [OutputRecord],
        reusing reused: [OutputRecord],
        facts: ItemFacts? = nil
    ) {
        state.withLock { state in
            state.report.finishedNow += 1
            state.report.reused += reused.count { $0.state == .done }
            if let code = result.ending.error {
                state.progress.failed += 1
                state.report.failures[code, default: 0] += 1
                return
            }
            if result.state == .skipped { state.report.skipped += 1 }
            if item.hadFailed { state.report.recovered += 1 }
            state.progress.done += 1
        }
        tell(.itemFinished(ItemListing(item, result, outputs: outputs + reused, facts: facts)))
    }

    /// Counts an item that failed before any output was made, once its record is durable.
    func addFailure(_ item: ClaimedItem, _ error: ItemError) {
        state.withLock { state in
            state.progress.failed += 1
            state.report.finishedNow += 1
            state.report.failures[error.code.rawValue, default: 0] += 1
        }
        let state: ItemState = error.handling == .quarantine ? .quarantined : .failed
        tell(
            .itemFinished(
                ItemListing(
                    item,
                    state: state,
                    error: error.code.rawValue,
                    message: error.message,
                    outputs: [],
                    facts: nil
                )
            )
        )
    }

    /// Returns the report of the whole run; its exit code depends on the unfinished and failed items of the job.
    func finish(
        counts: JobCounts,
        newFailures: NewFailures = NewFailures(),
        failedItems: [ItemRecord] = [],
        failOn: FailurePolicy = .any,
        control: RunControl,
        isPlanned: Bool = true,
        warnings: [String],
        knownWarnings: Set<String> = []
    ) -> RunReport {
        let report = state.withLock { state in
            var report = state.report
            report.set(counts)
            report.seconds = Self.seconds(since: began)
            report.trouble = control.trouble
            if !isPlanned, report.trouble == nil {
                report.trouble =
                    "the lists were not read to their end, and the previous plan is still in force"
            }
            report.warnings = warnings + report.warnings
            report.knownWarnings = knownWarnings
            report.failOn = failOn
            report.newFailures = newFailures.count
            report.newErrors = newFailures.errors
            report.newItems = newFailures.first.map { ItemListing($0) }
            report.failedItems = failedItems.map { ItemListing($0) }
            let isFailure = failOn.fails(
                failed: report.failed + report.lostSources.count,
                new: report.newFailures + report.lostSources.count,
                items: report.items
            )
            let own: ExitCode = isFailure ? .someFailed : .done
            // A limit reached with the last item leaves no work undone.
            let isAllDone = control.exit == .workLeft && report.left == 0 && isPlanned
            report.exit = isAllDone ? own : ExitCode.graver(control.exit, own)
            return report
        }
        return report
    }

    /// Reports the end of the run.
    func announceEnd(_ report: RunReport) {
        tell(.runFinished(report))
    }

    /// Sends an event to the listener, if there is one.
    func tell(_ event: @autoclosure () -> RunEvent) {
        guard let listener else { return }
        let event = event()
        turn.withLock { _ in listener(event) }
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - start) / .seconds(1)
    }
}

extension RunReport {
    /// Counts the bytes of an original, and what its origin said of the cached one.
    fileprivate mutating func add(_ original: Original, of item: ClaimedItem) {
        if original.source == .network {
            if !original.isShared { networkBytes += original.data.count }
        } else {
            cacheBytes += original.data.count
        }
        if original.isOtherVersion { otherVersions += 1 }
        switch original.revalidation {
        case .confirmed: confirmed += 1
        // Some origins have no validators, and send the same bytes each time.
        case .reloaded where original.sha256 == item.originalSHA256: confirmed += 1
        case .reloaded: changed += 1
        case .stale(let error): stale[error, default: 0] += 1
        case nil: break
        }
    }
}

extension ItemListing {
    /// The item as it was recorded.
    fileprivate init(
        _ item: ClaimedItem,
        _ result: ItemResult.Outcome,
        outputs: [OutputRecord],
        facts: ItemFacts?
    ) {
        let (_, error, message) = result.ending
        self.init(item, state: result.state, error: error, message: message, outputs: outputs, facts: facts)
        guard case .skipped(OutputRecord.duplicate) = result else { return }
        twin = item.twin.map { ItemListing.Twin($0) }
    }
}
