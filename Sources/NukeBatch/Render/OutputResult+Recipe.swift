import JobStorage

extension OutputResult {
    /// Returns the result of an output that is skipped for this reason.
    static func skipped(_ recipe: Recipe, reason: String) -> OutputResult {
        OutputResult(name: recipe.output.name, recipe: recipe.digest, state: .skipped, reason: reason)
    }

    /// Returns the result of an output that cannot be made.
    static func failed(_ recipe: Recipe, _ error: ItemError) -> OutputResult {
        var output = OutputResult(
            name: recipe.output.name,
            recipe: recipe.digest,
            state: .failed,
            reason: "\(error.code): \(error.message)"
        )
        output.failure = OutputResult.Failure(code: error.code.rawValue, message: error.message)
        return output
    }
}
