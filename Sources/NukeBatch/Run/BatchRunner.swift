import Files
public import JobManifest
public import JobPlanning
import JobStorage

/// Runs one job: claims items, executes them and records them, until none is left.
///
/// A second run continues where the first one ended, even after a crash. Call `run` once; `stop` and `progress` may be
/// used from any thread meanwhile.
public final class BatchRunner: Sendable {
    private let manifest: Manifest
    private let options: RunOptions
    private let statistics: RunStatistics
    private let control = RunControl()

    /// Creates a run of `manifest` with `options`; nothing happens before `run`.
    ///
    /// `onEvent` is called on threads of the run, one call at a time.
    /// - Throws: `RunError.wrongInput` for options that do not fit the manifest.
    public init(
        manifest: Manifest,
        options: RunOptions = RunOptions(),
        onEvent: @escaping @Sendable (RunEvent) -> Void = { _ in }
    ) throws(RunError) {
        self.manifest = try options.applied(to: manifest)
        self.options = options
        statistics = RunStatistics(onEvent: onEvent)
    }

    /// The run's progress so far.
    public var progress: RunProgress {
        statistics.progress
    }

    /// Ends the run soon with `exit`.
    ///
    /// Transfers are cancelled and their items put back; images that are being rendered are finished and recorded.
    public func stop(_ exit: ExitCode) {
        control.stop(exit)
    }

    /// Plans the manifest, processes the unfinished items, and returns when none is left or the run was stopped.
    ///
    /// `begin` is called when the job is locked, before anything else is done. `show` gets the report while the job is
    /// still locked. If it returns true and the run went through, the failures count as reported: they are not new to
    /// the next run (`FailurePolicy.new`).
    /// - Throws: `RunError` if the run could not begin.
    public func run(
        showing show: @Sendable (RunReport) -> Bool = { _ in true },
        beginning begin: @Sendable () throws -> Void = {}
    ) async throws(RunError) -> RunReport {
        do {
            // Threads: those of the writer, the databases and the transport, and of the pools that render and load.
            try ProcessLimits.check(threads: 32, bytes: min(manifest.limits.memory, 1 << 50) + 256_000_000)
            let forgotten = try RunParts.forgotten(of: manifest, options)
            let store = try JobStore(path: options.statePath(of: manifest), fresh: options.isFresh)
            defer { store.close() }
            try begin()
            // A killed run may have left it behind; this run holds the job's lock.
            ScratchFolder.removeLeftover(at: LoadedSitemaps.path(besideState: store.path))
            let context = RunContext(
                manifest: manifest,
                options: options,
                store: store,
                statistics: statistics,
                control: control,
                requests: RequestLog(manifest),
                idle: options.startsWithEmptyBuckets ? .zero : try HostStateStore.idle(store),
                runs: manifest.cache.maxAge == nil ? RunTimes() : try RunTimes(store.reader),
                destinationPacing: manifest.destination.bucket.map { _ in BucketPacing(manifest.storage.s3) },
                forgotten: forgotten
            )
            return try await run(context, show)
        } catch {
            throw RunError(error)
        }
    }

    private func run(_ context: RunContext, _ show: @Sendable (RunReport) -> Bool) async throws -> RunReport {
        let store = context.store
        let known = try store.reader.counts()
        let begun = RunCounters(finishedBefore: known.total - known.unfinished)
        _ = try store.beginRun(version: Version.current, countersJSON: JSONLine.text(begun))
        let limit = control.stopAfter(manifest.limits.maxDuration)
        defer { limit?.cancel() }
        do {
            return try await work(context, show)
        } catch {
            let report = RunReport(stoppedBy: RunError(error), counts: try? store.reader.counts())
            // The state may be what is in trouble.
            try? store.endRun(exit: Int(report.exit.rawValue), countersJSON: JSONLine.text(begun))
            statistics.announceEnd(report)
            throw error
        }
    }

    /// Plans and works, from the run's begin to its end.
    private func work(_ context: RunContext, _ show: @Sendable (RunReport) -> Bool) async throws -> RunReport
    {
        var loader: OriginalLoader?
        defer { loader?.close() }
        if manifest.hasRemoteSources { loader = try OriginalLoader(context) }
        let plan = try await RunPlanning(context: context, loader: loader).perform()
        let counts = try plan.newCounts ?? context.store.reader.counts()
        statistics.begin(job: manifest.name, counts: counts)
        let begun = RunCounters(finishedBefore: counts.total - counts.unfinished)
        try context.store.noteRun(countersJSON: JSONLine.text(begun))
        var parts = try await RunParts(context)
        if counts.unfinished > 0, !options.onlyFinishes {
            let opened = try loader ?? OriginalLoader(context)
            loader = opened
            try await parts.begin(opened).run()
        }
        try await parts.finish(after: plan)
        return try context.end(after: plan, finishedBefore: begun.finishedBefore, show)
    }
}
