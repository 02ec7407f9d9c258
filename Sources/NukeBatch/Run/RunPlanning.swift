import Files
import JobManifest
import JobPlanning
import JobStorage
import Originals

/// The first stage of a run: plans the manifest into the state, and requeues what must be processed again.
struct RunPlanning {
    let context: RunContext
    /// Not nil if sources have to be loaded.
    let loader: OriginalLoader?

    /// Plans the manifest, and compares the plan with what is left of the work of earlier runs.
    ///
    /// If the run is stopped meanwhile, the plan stays unchanged.
    func perform() async throws -> Planner.Summary {
        let requeuing = try RequeuePolicy(context.manifest, options: context.options, store: context.store)
        let plan = try await plan()
        // A run that only finishes tries nothing again.
        if !context.options.onlyFinishes { try requeuing.begin() }
        try await check()
        return plan
    }

    private func plan() async throws -> Planner.Summary {
        let (statistics, store) = (context.statistics, context.store)
        if context.options.onlyFinishes { return Planner.Summary(counts: nil, duplicates: 0, warnings: []) }
        statistics.begin(stage: "reading the lists")
        guard let loader else { return try await plan(LoadedSources()) }
        statistics.watch(RunWaits(context, loader.transfers.rateLimiter, loader.transfers.listingLimiter))
        let folder = try ScratchFolder(path: LoadedSitemaps.path(besideState: store.path))
        do {
            guard let loaded = try await loader.sourceLoader.sources(context.control, in: folder) else {
                return .stopped
            }
            return try await loaded.whileListing { try await plan(loaded) }
        } catch {
            let (manifest, options) = (context.manifest, context.options)
            let last = try Planner.lastPlan(of: manifest, options, in: store, insteadOf: error)
            statistics.loseSource(last.warning)
            return last.plan
        }
    }

    private func plan(_ loaded: LoadedSources) async throws -> Planner.Summary {
        let control = context.control
        return try await Planner(context.manifest, context.options, loaded: loaded) { control.isStopping }
            .planOnThread(into: context.store)
    }

    /// Requeues what has been lost since, before the run makes missing folders, and takes in what other processes ask for.
    private func check() async throws {
        let (manifest, options, store) = (context.manifest, context.options, context.store)
        let statistics = context.statistics
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
    }
}
