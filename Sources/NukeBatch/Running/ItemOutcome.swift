import JobStorage

/// An item whose original could be loaded, with what was made of it.
struct ItemOutcome: Sendable {
    let item: ClaimedItem
    let original: Original
    /// What this run made, skipped or failed to make.
    let outputs: [OutputResult]
    /// What the manifest asks for and was there already.
    let reused: [OutputResult]
    /// What is known about the original now; nil where nothing is asked for.
    let facts: ItemFacts?

    /// Whether nothing failed.
    var isDone: Bool {
        !outputs.contains { $0.state == .failed }
    }

    /// What is recorded: failed if any output failed, skipped if all were.
    func result(attempt: AttemptResult?) -> ItemResult {
        ItemResult(
            end,
            cacheKey: original.cacheKey,
            originalSHA256: original.sha256,
            facts: facts?.json,
            // What was there under another recipe has this one now.
            outputs: outputs + reused.filter { !item.outputs.contains($0) },
            attempt: attempt
        )
    }

    private var end: ItemResult.Outcome {
        if let failed = outputs.first(where: { $0.state == .failed }) {
            let (code, message) = failed.failure
            return .failed(error: code, message: "output \(failed.name): \(message)")
        }
        let all = outputs + reused
        if !all.isEmpty, all.allSatisfy({ $0.state == .skipped }) { return .skipped(reason: all[0].reason) }
        return .done
    }
}

extension OutputResult {
    /// An output that is not made, for this reason.
    static func skipped(_ recipe: Recipe, reason: String) -> OutputResult {
        OutputResult(name: recipe.output.name, recipe: recipe.digest, state: .skipped, reason: reason)
    }

    /// An output that cannot be made.
    static func failed(_ recipe: Recipe, _ error: ItemError) -> OutputResult {
        OutputResult(
            name: recipe.output.name,
            recipe: recipe.digest,
            state: .failed,
            reason: "\(error.code): \(error.message)"
        )
    }

    /// The error's name and sentence of a failed output, as `failed` put them together.
    fileprivate var failure: (code: String, message: String) {
        let parts = (reason ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return ("processing", reason ?? "") }
        return (parts[0], String(parts[1].drop { $0 == " " }))
    }
}
