import JobPlanning

/// A feature of a run beside the stages of its items: it begins before the first item and finishes after the last.
///
/// After an error that ends the run, no part finishes.
protocol RunPart: Sendable {
    /// Begins; not called in a run that has no items to process.
    func begin(_ run: RunContext) async throws

    /// Finishes, also in a run without items and in one that was stopped; `plan` is that of the run.
    func finish(_ run: RunContext, after plan: Planner.Summary) async throws
}

extension RunPart {
    /// Does nothing: by default, a part has only an end.
    func begin(_ run: RunContext) async throws {}
}
