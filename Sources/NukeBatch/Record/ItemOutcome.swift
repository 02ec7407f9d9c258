import JobManifest
import JobPlanning
import JobStorage

/// An item whose original was loaded, with its outputs and facts.
struct ItemOutcome: Sendable {
    let item: ClaimedItem
    let original: Original
    /// The plan of its outputs.
    let plan: OutputPlan
    /// The outputs that this run made, skipped or could not make.
    let outputs: [OutputRecord]
    /// The facts known about the original now; nil if none is requested.
    let facts: ItemFacts?
    /// Adopted outputs that count as made of the original from now on.
    var attributed: [OutputRecord] = []

    /// The outputs of the manifest that existed already.
    var reused: [OutputRecord] { plan.reused }

    /// True if no output failed.
    var isDone: Bool { !outputs.contains { $0.state == .failed } }

    /// Returns the result to record: failed if any output failed, skipped if all were skipped.
    func result(attempt: AttemptResult?) -> ItemResult {
        // A run that warms the cache does not look at adopted outputs, which the next one compares with the original.
        let isWarming = outputs.isEmpty && reused.isEmpty
        let staysUnknown = isWarming && item.originalSHA256 == AdoptedItem.unknownOriginal
        // An output reused from another recipe is recorded with this one.
        let changed = outputs + reused.filter { !item.outputs.contains($0) }
        return ItemResult(
            ItemResult.Outcome(outputs, reused: reused),
            cacheKey: original.cacheKey,
            originalSHA256: staysUnknown ? nil : original.sha256,
            facts: facts?.json,
            outputs: changed + attributed.filter { output in !changed.contains { $0.name == output.name } },
            attempt: attempt
        )
    }
}

extension ItemResult.Outcome {
    /// The outcome of an item with these outputs: failed if any output failed, skipped if all were skipped.
    init(_ outputs: [OutputRecord], reused: [OutputRecord] = []) {
        let all = outputs + reused
        if let failed = outputs.first(where: { $0.state == .failed }) {
            let (code, message) = (failed.failure?.code, failed.failure?.message)
            self = .failed(
                error: code ?? ErrorCode.processing.rawValue,
                message: "output \(failed.name): \(message ?? "")"
            )
        } else if !all.isEmpty, all.allSatisfy({ $0.state == .skipped }) {
            self = .skipped(reason: all[0].reason)
        } else {
            self = .done
        }
    }
}

extension CounterIncrements {
    /// Counts an item whose original was loaded, with the result that is recorded of it.
    init(_ outcome: ItemOutcome, recordedAs result: ItemResult) {
        self.init(result.outcome, outputs: outcome.outputs, reusing: outcome.reused)
        add(loaded: outcome.original)
    }

    /// Adds an original that was loaded.
    mutating func add(loaded original: Original) {
        let source =
            switch original.source {
            // The bytes came over the network once, for another item.
            case .network: original.isShared ? "shared" : "network"
            case .cache: "cache"
            case .file: "file"
            }
        add(to: .originals, detail: source)
        add(Double(original.data.count), to: .originalBytes, detail: source)
    }

    /// Counts an item with its outputs; `reused` existed already.
    init(_ outcome: ItemResult.Outcome, outputs: [OutputRecord] = [], reusing reused: [OutputRecord] = []) {
        self.init()
        add(to: .itemResults, detail: outcome.state.rawValue)
        if let error = outcome.ending.error { add(to: .itemFailures, detail: ErrorCode.counted(error)) }
        for output in outputs {
            add(to: .outputs, detail: output.state == .done ? "made" : output.state.rawValue)
        }
        add(Double(reused.count { $0.state == .done }), to: .outputs, detail: "reused")
    }

    /// Counts an attempt that failed with `error` and is made again.
    init(retryBecauseOf error: String) {
        self.init()
        add(to: .itemRetries, detail: ErrorCode.counted(error))
    }
}
