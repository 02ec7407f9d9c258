import Foundation
import JobManifest
import JobPlanning
import JobStorage

extension InFlightJournal {
    /// Counts a crash for each item that the last run was rendering when it crashed, and begins the journal of a run.
    ///
    /// - Throws: `FileError`, `JobStoreError`.
    convenience init(_ context: RunContext) throws {
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
