import Dispatch
import Synchronization

/// The memory that all transcoding of JPEGs in this process shares: a thread waits until there is enough of it, first come, first
/// served.
package final class TranscodingMemory: Sendable {
    private struct State {
        var limit: Int
        var taken = 0
        var waiters: ArraySlice<(bytes: Int, grant: DispatchSemaphore)> = []

        /// More than there is at all is granted when nothing else is.
        func hasRoom(for bytes: Int) -> Bool { taken == 0 || bytes <= limit - taken }
    }

    /// That of this process: half a gigabyte, until a run has set its share.
    package static let shared = TranscodingMemory(limit: 512 << 20)

    private let state: Mutex<State>

    /// Shares `limit` bytes.
    package init(limit: Int) {
        state = Mutex(State(limit: limit))
    }

    /// The bytes that are shared.
    package var limit: Int {
        get { state.withLock { $0.limit } }
        set { state.withLock { $0.limit = newValue } }
    }

    /// Runs `work` once there are so many bytes for it; blocks the calling thread until then.
    package func take<Value>(_ bytes: Int, while work: () -> Value) -> Value {
        let grant: DispatchSemaphore? = state.withLock { state in
            guard !state.waiters.isEmpty || !state.hasRoom(for: bytes) else {
                state.taken += bytes
                return nil
            }
            let grant = DispatchSemaphore(value: 0)
            state.waiters.append((bytes, grant))
            return grant
        }
        grant?.wait()
        defer { release(bytes) }
        return work()
    }

    private func release(_ bytes: Int) {
        let granted = state.withLock { state in
            state.taken -= bytes
            var granted: [DispatchSemaphore] = []
            while let next = state.waiters.first, state.hasRoom(for: next.bytes) {
                state.waiters.removeFirst()
                state.taken += next.bytes
                granted.append(next.grant)
            }
            return granted
        }
        for grant in granted { grant.signal() }
    }
}
