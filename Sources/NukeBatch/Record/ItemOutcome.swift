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
    let outputs: [OutputResult]
    /// The facts known about the original now; nil if none is requested.
    let facts: ItemFacts?

    /// The outputs of the manifest that existed already.
    var reused: [OutputResult] { plan.reused }

    /// True if no output failed.
    var isDone: Bool {
        !outputs.contains { $0.state == .failed }
    }

    /// Returns the result to record: failed if any output failed, skipped if all were skipped.
    func result(attempt: AttemptResult?) -> ItemResult {
        ItemResult(
            ItemResult.Outcome(outputs, reused: reused),
            cacheKey: original.cacheKey,
            originalSHA256: original.sha256,
            facts: facts?.json,
            // An output reused from another recipe is recorded with this one.
            outputs: outputs + reused.filter { !item.outputs.contains($0) },
            attempt: attempt
        )
    }
}

extension ItemResult.Outcome {
    /// The outcome of an item with these outputs: failed if any output failed, skipped if all were skipped.
    init(_ outputs: [OutputResult], reused: [OutputResult] = []) {
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
