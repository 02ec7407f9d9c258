import JobPlanning

extension OriginalLoader {
    /// Opens the loader of a run; it cancels its transfers when the run is stopped.
    /// - Throws: As `init(_:_:idle:requests:)`.
    init(_ context: RunContext) throws(RunError) {
        try self.init(
            context.manifest,
            context.options,
            idle: context.idle,
            runs: context.runs,
            requests: context.requests
        )
        context.control.onStop { [self] in stop() }
    }
}
