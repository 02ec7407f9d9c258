import Datasets
import JobManifest
import JobPlanning
import JobStorage
import Originals

/// The parts of one run: the one place that knows all of them.
struct RunParts: Sendable {
    private let context: RunContext
    /// Writes the items to shards; nil if outputs are separate files.
    private let shards: ShardWriter?
    /// In the order in which they begin; they finish in the reverse order.
    private var parts: [any RunPart]

    /// Opens the parts that every run has, also one without items to process.
    /// - Throws: `FileError` if the destination cannot be created, `StoreError`, `JobStoreError`.
    init(_ context: RunContext) async throws {
        let (manifest, store, control) = (context.manifest, context.store, context.control)
        let warn: @Sendable (String) -> Void = { [statistics = context.statistics] in statistics.warn($0) }
        let dataset = try await DatasetOutput(
            manifest,
            in: store,
            control: control,
            pacing: context.destinationPacing,
            forgotten: context.forgotten,
            warn: warn
        )
        let markup = try MarkupOutput(
            manifest,
            options: context.options,
            in: store,
            control: control,
            warn: warn
        )
        let all: [(any RunPart)?] = [context.requests, markup, dataset]
        (self.context, shards, parts) = (context, dataset?.shards, all.compactMap(\.self))
    }

    /// Returns what the run must know of a state that its options delete, before that happens.
    /// - Throws: `JobStoreError`.
    static func forgotten(of manifest: Manifest, _ options: RunOptions) throws(JobStoreError) -> ShardRecord?
    {
        try DatasetOutput.openShard(of: manifest, options)
    }

    /// Opens the parts that need the loader of items, begins all, and returns the work that is left to do between them.
    /// - Throws: `JobStoreError`, `DataCacheError`.
    mutating func begin(_ loader: OriginalLoader) async throws -> ItemWork {
        let (manifest, options, store) = (context.manifest, context.options, context.store)
        let cacheCheck = CacheCheck(manifest, isOffline: options.isOffline, store: store)
        let hostStates = HostStateStore(store, loader.transfers.rateLimiter)
        let pins = Pins(manifest, loader.cache, owner: options.statePath(of: manifest))
        let all: [(any RunPart)?] = [
            cacheCheck.map { CheckedCache(check: $0, cache: loader.cache) }, hostStates, pins,
        ]
        parts += all.compactMap(\.self)
        for part in parts { try await part.begin(context) }
        return ItemWork(context: context, loader: loader, hostStates: hostStates, pins: pins, shards: shards)
    }

    /// Finishes all parts.
    /// - Throws: `JobStoreError`, `DataCacheError`; a part that fails in the destination stops the run instead.
    func finish(after plan: Planner.Summary) async throws {
        for part in parts.reversed() { try await part.finish(context, after: plan) }
    }
}

extension RequestLog: RunPart {
    func finish(_ run: RunContext, after plan: Planner.Summary) async throws {
        try await write(to: run.store, all: true)
    }
}

extension MarkupOutput: RunPart {
    func begin(_ run: RunContext) throws { try begin() }

    func finish(_ run: RunContext, after plan: Planner.Summary) async {
        if plan.isComplete { await finish() }
    }
}

extension DatasetOutput: RunPart {
    func begin(_ run: RunContext) throws { try begin() }

    func finish(_ run: RunContext, after plan: Planner.Summary) async { await finish() }
}

/// The cache as the next run compares it.
private struct CheckedCache: RunPart {
    let check: CacheCheck
    let cache: DataCache?

    func finish(_ run: RunContext, after plan: Planner.Summary) throws { try check.end(cache) }
}

extension HostStateStore: RunPart {
    func begin(_ run: RunContext) throws { try restore() }

    func finish(_ run: RunContext, after plan: Planner.Summary) async throws { try await save(all: true) }
}

extension Pins: RunPart {
    func begin(_ run: RunContext) async throws {
        if !run.control.isStopping { try await dropUnlisted(run.store.reader) }
    }

    func finish(_ run: RunContext, after plan: Planner.Summary) async throws {
        try await end(isFinished: try run.store.reader.counts().unfinished == 0)
    }
}

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
