import Foundation
import JobStorage

extension BlackBox {
    /// Counts for each item that the last run died over a crash, and begins the black box of a run with `options`.
    ///
    /// - Throws: `FileError`, `JobStoreError`.
    convenience init(
        of store: JobStore,
        _ limits: LimitSettings,
        _ options: RunOptions,
        _ control: RunControl
    ) throws {
        let path = Self.path(besideState: store.path)
        // A state that was forgotten has other rows.
        if !options.isFresh { try store.addCrash(to: Self.suspects(at: path)) }
        // Headers are read on the threads of tasks, the rest on those of the queues; a thread that is lost has left its slot.
        let threads = limits.processing + ProcessInfo.processInfo.activeProcessorCount
        try self.init(path: path, slots: 2 * threads)
        control.onStop { [self] in
            if [.interrupted, .terminated, .hungUp].contains(control.exit) { noteStop() }
        }
    }
}
