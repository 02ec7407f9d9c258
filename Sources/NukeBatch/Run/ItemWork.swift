import Datasets
import Files
import Foundation
import JobManifest
import JobPlanning
import JobStorage
import Originals

/// The work on the unfinished items of a run: claims, executes and records them while `RunWatch` watches the run.
struct ItemWork {
    let context: RunContext
    let loader: OriginalLoader
    let hostStates: HostStateStore
    let pins: Pins?
    /// Nil if outputs are separate files.
    let shards: ShardWriter?
    private let spent = SpentAttempts()

    /// Returns when no item is left, or the run was stopped and what was in flight has ended.
    /// - Throws: What keeps the work from beginning, or the run from going on.
    func run() async throws {
        let sandbox = SandboxSupport.ofMachine
        if let remedy = sandbox.remedy { context.statistics.warn("\(sandbox.description): \(remedy)") }
        let waits = RunWaits(context, loader.transfers.rateLimiter, loader.transfers.listingLimiter)
        context.statistics.watch(waits)
        let watch = RunWatch(
            context,
            loader.transfers.rateLimiter,
            waits: waits,
            hostStates: hostStates,
            spent: spent
        )
        try await watch.during { try await execute() }
        context.statistics.add(loader.edge.total)
    }

    private func execute() async throws {
        let watermarks = try await loader.watermarks(context.control)
        guard !context.control.isStopping else { return }
        let journal = try InFlightJournal(context)
        defer { journal.remove() }
        let scheduler = ItemScheduler(context)
        let pipeline = try ItemPipeline(
            context,
            recipes: try Recipe.all(of: context.manifest, showing: watermarks.mapValues(\.image)),
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
        context.statistics.watch(queues: [
            "load": loader.transfers.slots, "decode": pipeline.renderer.decoding.queue,
            "process": pipeline.renderer.processing.queue, "encode": pipeline.renderer.encoding.queue,
        ])
        context.control.onStop {
            pipeline.sandbox.stop()
            pipeline.destination?.stop()
        }
        let executor = ItemExecutor(
            pipeline: pipeline,
            recorder: ItemRecorder(context, loader.transfers.rateLimiter, spent: spent)
        )
        if let deduplication = context.manifest.dataset?.deduplication {
            try await DeduplicatedWork(
                context: context,
                deduplication: deduplication,
                scheduler: scheduler,
                executor: executor
            ).run()
        } else {
            await scheduler.run { item in await executor.execute(item) }
        }
        do throws(ItemError) { try pipeline.destination?.check() } catch {
            context.control.stop(.machine, trouble: error.message)
        }
        await loader.settle()
    }
}

extension InFlightJournal {
    /// Counts a crash for each item that the last run was rendering when it crashed, and begins the journal of a run.
    /// - Throws: `FileError`, `JobStoreError`.
    fileprivate convenience init(_ context: RunContext) throws {
        let (store, control) = (context.store, context.control)
        let path = Self.path(besideState: store.path)
        // After the state was deleted, its rows are other items.
        if !context.options.isFresh { try store.addCrash(to: Self.suspects(at: path)) }
        // Headers are read on task threads, the rest on the queues' threads. A thread that the watchdog gave up keeps its
        // slot.
        let threads = context.manifest.limits.processing + ProcessInfo.processInfo.activeProcessorCount
        try self.init(path: path, slots: 2 * threads)
        control.onStop { [self] in
            if [.interrupted, .terminated, .hungUp].contains(control.exit) { noteStop() }
        }
    }
}
