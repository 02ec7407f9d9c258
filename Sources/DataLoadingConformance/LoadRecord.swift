import Foundation
import FoundationNetworking
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
    }

    private let state = Mutex(Told())
    private let callsInside = Atomic(0)
    private let dwell: UInt32

    /// Each callback takes `dwell` microseconds, so that overlapping callbacks are detected.
    init(dwell: UInt32 = 0) {
        self.dwell = dwell
    }

    var told: Told { state.withLock { $0 } }

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
            change(&told)
        }
        if dwell > 0 { usleep(dwell) }
        callsInside.subtract(1, ordering: .sequentiallyConsistent)
    }
}
