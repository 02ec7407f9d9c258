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
    /// `onEvent` is called on threads of the run, one call at a time; nil saves making the events.
    /// - Throws: `RunError.wrongInput` for options that do not fit the manifest.
    public init(
        manifest: Manifest,
        options: RunOptions = RunOptions(),
        onEvent: (@Sendable (RunEvent) -> Void)? = nil
    ) throws(RunError) {
        self.manifest = try options.applied(to: manifest)
        self.options = options
        statistics = RunStatistics(onEvent: onEvent)
    }

    /// The run's progress so far.
    public var progress: RunProgress { statistics.progress }

    /// Ends the run soon with `exit`.
    ///
    /// Transfers are cancelled and their items put back; images that are being rendered are finished and recorded.
    public func stop(_ exit: ExitCode) {
        control.stop(exit)
    }

    /// Plans the manifest, processes the unfinished items, and returns when none is left or the run was stopped.
    ///
    /// `begin` is called when the job is locked and the run is recorded, before anything else is done. `show` gets the report
    /// while the job is still locked. If it returns true and the run went through, the failures count as reported: they are not
    /// new to the next run (`FailurePolicy.new`). The last event is `runFinished`, unless another run holds the job.
    /// - Throws: `RunError` if the run could not begin.
    public func run(
        showing show: @Sendable (RunReport) -> Bool = { _ in true },
        beginning begin: @Sendable () throws -> Void = {}
    ) async throws(RunError) -> RunReport {
        var isHolder = false
        var counts: JobCounts?
        do {
            // Threads: those of the writer, the databases and the transport, and of the pools that render and load.
            try ProcessLimits.check(threads: 32, bytes: min(manifest.limits.memory, 1 << 50) + 256_000_000)
            let forgotten = try RunParts.forgotten(of: manifest, options)
            let store = try await open()
            isHolder = true
            defer { store.close() }
            do {
                return try await run(in: store, forgotten: forgotten, show, begin)
            } catch {
                counts = try? store.reader.counts()
                throw error
            }
        } catch {
            let error = RunError(error)
            // A run that holds the job reports its own end.
            if isHolder || error.exit != .held {
                statistics.announceEnd(RunReport(stoppedBy: error, counts: counts))
            }
            throw error
        }
    }

    /// Opens the state; if another process has it open, leaves it a message that this run was refused.
    private func open() async throws -> JobStore {
        let path = options.statePath(of: manifest)
        do throws(JobStoreError) {
            return try JobStore(path: path, fresh: options.isFresh)
        } catch {
            // The run is refused whether or not the message can be left.
            if case .locked = error { try? await RefusedRun().leave(beside: path) }
            throw error
        }
    }

    /// Runs from the begin that the state records to the end that it records, whatever ends the run.
    private func run(
        in store: JobStore,
        forgotten: ShardRecord?,
        _ show: @Sendable (RunReport) -> Bool,
        _ begin: @Sendable () throws -> Void
    ) async throws -> RunReport {
        let known = try store.reader.counts()
        let begun = RunCounters(finishedBefore: known.total - known.unfinished)
        // These look at the runs before this one.
        let idle: Duration? = options.startsWithEmptyBuckets ? .zero : try HostStateStore.idle(store)
        let runs = manifest.cache.maxAge == nil ? RunTimes() : try RunTimes(store.reader)
        _ = try store.beginRun(version: Version.current, countersJSON: JSONLine.text(begun))
        let limit = control.stopAfter(manifest.limits.maxDuration)
        defer { limit?.cancel() }
        do {
            try begin()
            try noteManifest(in: store)
            // A killed run may have left it behind; this run holds the job's lock.
            ScratchFolder.removeLeftover(at: LoadedSitemaps.path(besideState: store.path))
            let context = RunContext(
                manifest: manifest,
                options: options,
                store: store,
                statistics: statistics,
                control: control,
                requests: RequestLog(manifest),
                idle: idle,
                runs: runs,
                destinationPacing: manifest.destination.bucket.map { _ in BucketPacing(manifest.storage.s3) },
                forgotten: forgotten
            )
            return try await work(context, show)
        } catch {
            let error = RunError(error)
            // The state may be what is in trouble.
            try? store.endRun(
                exit: Int(error.exit.rawValue),
                countersJSON: JSONLine.text(begun),
                stopped: error.description
            )
            throw error
        }
    }

    /// Keeps the manifest for the next run, with the differences from the manifest of the run before.
    private func noteManifest(in store: JobStore) throws(JobStoreError) {
        let kept = ManifestSnapshot(manifest)
        let last = try store.reader.lastManifest().map(ManifestSnapshot.init(json:))
        let changes = last.flatMap { last in kept.flatMap { ManifestChanges(from: last, to: $0) } }
        try store.noteManifest(kept?.json, changesJSON: changes.map { JSONLine.text($0) })
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
        return try await context.end(after: plan, finishedBefore: begun.finishedBefore, show)
    }
}
