import Files
import JobManifest
import JobPlanning
import JobStorage

/// The work on the items of a dataset without duplicates: first all their originals, then the outputs of those that are kept.
///
/// No output is made before all originals are known, so that it does not depend on the order in which they arrive which of
/// several equal ones is kept: the first in the manifest's order. A run that dies has noted what it saw, and the next one
/// goes on from there.
struct DeduplicatedWork: Sendable {
    /// The most rounds of a run.
    ///
    /// A second one is for items whose twins have failed, or whose originals have changed meanwhile; what is left after the
    /// last waits for the next run.
    private static let mostRounds = 4

    let context: RunContext
    let deduplication: DatasetSettings.Deduplication
    let scheduler: ItemScheduler
    let executor: ItemExecutor

    /// Returns when no item is left, or the run is stopped.
    ///
    /// A run of a few items (`--limit`) does not load all others for them: they are compared with what is known.
    /// - Throws: `JobStoreError`, `FileError` without a thread.
    func run() async throws {
        var executor = executor
        if context.options.limit == nil {
            try await seeOriginals()
            executor = executor.afterSeeingOriginals
        }
        try await compare()
        for round in 1...Self.mostRounds {
            await scheduler.run { [executor] item in await executor.execute(item) }
            guard !context.control.isStopping, round < Self.mostRounds else { return }
            try await compare()
            guard try await requeue() > 0 else { return }
        }
    }

    private func seeOriginals() async throws {
        await scheduler.run { item in await executor.see(item) }
        context.statistics.endStage()
        try await SystemThread.run("comparing") { [store = context.store] in try store.putBackHeld() }
    }

    private func compare() async throws {
        try await SystemThread.run("comparing") { [store = context.store, deduplication] in
            try store.findDuplicates(by: deduplication)
        }
    }

    private func requeue() async throws -> Int {
        try await SystemThread.run("comparing") { [store = context.store] in try store.requeueDuplicates() }
    }
}
