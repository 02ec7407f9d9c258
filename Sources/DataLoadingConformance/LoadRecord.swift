import Foundation
import FoundationNetworking
import Nuke
import Synchronization

/// The callbacks of one load.
final class LoadRecord: Sendable {
    struct Told: Sendable {
        var body = Data()
        var response: URLResponse?
        var error: (any Error)?
        var completions = 0
        /// True if a callback came after the completion.
        var isLate = false
        /// True if a callback began before another had returned.
        var overlaps = false
        /// The callbacks that began after the load was cancelled.
        var afterCancel = 0
    }

    private let state = Mutex(Told())
    /// The load to cancel in the first callback that finds it here.
    private let doomed = Mutex<(any Cancellable)?>(nil)
    private let isCancelled = Atomic(false)
    private let callsInside = Atomic(0)
    private let dwell: UInt32

    /// Each callback takes `dwell` microseconds, so that overlapping callbacks are detected.
    init(dwell: UInt32 = 0) {
        self.dwell = dwell
    }

    var told: Told { state.withLock { $0 } }

    /// Cancels the load in its next callback.
    func cancelInCallback(_ load: any Cancellable) {
        doomed.withLock { $0 = load }
    }

    /// Cancels the load from here; a callback that another thread has already begun may be counted as after it.
    func cancel(_ load: any Cancellable) {
        load.cancel()
        isCancelled.store(true, ordering: .sequentiallyConsistent)
    }

    @Sendable func receive(_ data: Data, _ response: URLResponse) {
        call { told in
            told.body.append(data)
            told.response = response
        }
    }

    @Sendable func complete(_ error: (any Error)?) {
        call { told in
            told.completions += 1
            told.error = error
        }
    }

    private func call(_ change: (inout Told) -> Void) {
        let overlaps = callsInside.add(1, ordering: .sequentiallyConsistent).newValue > 1
        state.withLock { told in
            told.overlaps = told.overlaps || overlaps
            told.isLate = told.isLate || told.completions > 0
            if isCancelled.load(ordering: .sequentiallyConsistent) { told.afterCancel += 1 }
            change(&told)
        }
        let load = doomed.withLock { $0.take() }
        if let load {
            // Callbacks are never concurrent, so there is none that has already begun.
            isCancelled.store(true, ordering: .sequentiallyConsistent)
            load.cancel()
        }
        if dwell > 0 { usleep(dwell) }
        callsInside.subtract(1, ordering: .sequentiallyConsistent)
    }
}
