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
    private let counts = RequestCounts()

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

    /// The requests that the run has sent and logged so far.
    package var requestCounts: [RequestCounts.Key: Int] {
        counts.all
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
            let forgotten = try DatasetOutput.openShard(of: manifest, options)
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
                requests: RequestLog(manifest, counts: counts),
                idle: options.startsWithEmptyBuckets ? .zero : try HostStateStore.idle(store),
                runs: manifest.cache.maxAge == nil ? RunTimes() : try RunTimes(store.reader),
                destinationPacing: manifest.destination.bucket.map { _ in BucketPacing(manifest.storage.s3) }
            )
            return try await run(context, forgotten: forgotten, show)
        } catch {
            throw RunError(error)
        }
    }

    private func run(
        _ context: RunContext,
        forgotten: ShardRecord?,
        _ show: @Sendable (RunReport) -> Bool
    ) async throws -> RunReport {
        let store = context.store
        let known = try store.reader.counts()
        let begun = RunCounters(finishedBefore: known.total - known.unfinished)
        _ = try store.beginRun(version: Version.current, countersJSON: JSONLine.text(begun))
        let limit = control.stopAfter(manifest.limits.maxDuration)
        defer { limit?.cancel() }
        do {
            return try await work(context, forgotten: forgotten, show)
        } catch {
            let report = RunReport(stoppedBy: RunError(error), counts: try? store.reader.counts())
            // The state may be what is in trouble.
            try? store.endRun(exit: Int(report.exit.rawValue), countersJSON: JSONLine.text(begun))
            statistics.announceEnd(report)
            throw error
        }
    }

    /// Plans and works, from the run's begin to its end.
    private func work(
        _ context: RunContext,
        forgotten: ShardRecord?,
        _ show: @Sendable (RunReport) -> Bool
    ) async throws -> RunReport {
        let store = context.store
        var loader: OriginalLoader?
        defer { loader?.close() }
        if manifest.hasRemoteSources { loader = try OriginalLoader(context) }
        let requeuing = try RequeuePolicy(manifest, options: options, store: store)
        let plan = try await plan(context, loader)
        try requeuing.begin()
        // Before the run makes missing folders.
        if !options.onlyFinishes,
            let lost = try await OutputCheck(manifest, options: options, store: store)?.perform()
        {
            statistics.warn(lost)
        }
        let cacheCheck = CacheCheck(manifest, isOffline: options.isOffline, store: store)
        if let lost = try cacheCheck?.perform() { statistics.warn(lost) }
        try await PriorityRequest.apply(to: store).forEach(statistics.warn)
        if let path = manifest.destination.folder, let destination = try Presence.folder(path) {
            try StagingFolder.sweep(destination)
        }
        let counts = try plan.newCounts ?? store.reader.counts()
        statistics.begin(job: manifest.name, counts: counts)
        let counters = RunCounters(finishedBefore: counts.total - counts.unfinished)
        try store.noteRun(countersJSON: JSONLine.text(counters))
        let dataset = try await DatasetOutput(context, forgotten: forgotten)
        let markup = try MarkupOutput(context)
        if counts.unfinished > 0, !options.onlyFinishes {
            let opened = try loader ?? OriginalLoader(context)
            loader = opened
            let sandbox = SandboxSupport.ofMachine
            if let remedy = sandbox.remedy { statistics.warn("\(sandbox.description): \(remedy)") }
            try dataset?.begin()
            try markup?.begin()
            try await work(context, loader: opened, shards: dataset?.shards)
            try cacheCheck?.end(opened.cache)
        }
        await dataset?.finish()
        if plan.isComplete { await markup?.finish() }
        try await context.requests.write(to: store, all: true)
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
            countersJSON: JSONLine.text(RunCounters(report, finishedBefore: counters.finishedBefore))
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

    /// Plans into the store; `loader` is not nil if sources have to be loaded.
    ///
    /// If the run is stopped meanwhile, the plan stays unchanged.
    private func plan(_ context: RunContext, _ loader: OriginalLoader?) async throws -> Planner.Summary {
        if options.onlyFinishes { return Planner.Summary(counts: nil, duplicates: 0, warnings: []) }
        statistics.begin(stage: "reading the lists")
        guard let loader else { return try await plan(LoadedSources(), into: context.store) }
        statistics.watch(RunWaits(context, loader.rateLimiter, loader.listingLimiter))
        let folder = try ScratchFolder(path: LoadedSitemaps.path(besideState: context.store.path))
        do {
            guard let loaded = try await loader.sources(control, in: folder) else { return .stopped }
            return try await loaded.whileListing { try await plan(loaded, into: context.store) }
        } catch {
            let last = try Planner.lastPlan(of: manifest, options, in: context.store, insteadOf: error)
            statistics.loseSource(last.warning)
            return last.plan
        }
    }

    private func plan(_ loaded: LoadedSources, into store: JobStore) async throws -> Planner.Summary {
        let control = control
        return try await Planner(manifest, options, loaded: loaded) { control.isStopping }
            .planOnThread(into: store)
    }

    /// Executes the unfinished items while `RunWatch` watches the run.
    private func work(_ context: RunContext, loader: OriginalLoader, shards: ShardWriter?) async throws {
        let waits = RunWaits(context, loader.rateLimiter, loader.listingLimiter)
        statistics.watch(waits)
        let hostStates = HostStateStore(context.store, loader.rateLimiter)
        try hostStates.restore()
        let spent = SpentAttempts()
        let watch = RunWatch(context, loader.rateLimiter, waits: waits, hostStates: hostStates, spent: spent)
        try await watch.during {
            try await execute(context, loader: loader, shards: shards, spent: spent)
        }
        statistics.add(loader.edge.total)
        try await hostStates.save(all: true)
    }

    private func execute(
        _ context: RunContext,
        loader: OriginalLoader,
        shards: ShardWriter?,
        spent: SpentAttempts
    ) async throws {
        let store = context.store
        let watermarks = try await loader.watermarks(control)
        guard !control.isStopping else { return }
        let pins = Pins(manifest, loader.cache, owner: options.statePath(of: manifest))
        try await pins?.dropUnlisted(store.reader)
        let journal = try InFlightJournal(context)
        defer { journal.remove() }
        let scheduler = ItemScheduler(context)
        let pipeline = try ItemPipeline(
            context,
            recipes: try Recipe.all(of: manifest, showing: watermarks.mapValues(\.image)),
            watermarkFiles: Dictionary(
                watermarks.map { ($0.identity, $1.file) },
                uniquingKeysWith: { first, _ in first }
            ),
            loader: loader,
            hosts: scheduler.hosts,
            pins: pins,
            shards: shards,
            journal: journal
        )
        defer { pipeline.destination?.close() }
        control.onStop {
            pipeline.sandbox.stop()
            pipeline.destination?.stop()
        }
        let executor = ItemExecutor(
            pipeline: pipeline,
            recorder: ItemRecorder(context, loader.rateLimiter, spent: spent)
        )
        await scheduler.run { item in await executor.execute(item) }
        do throws(ItemError) { try pipeline.destination?.check() } catch {
            control.stop(.machine, trouble: error.message)
        }
        await loader.settle()
        try await pins?.end(isFinished: try store.reader.counts().unfinished == 0)
    }
}
