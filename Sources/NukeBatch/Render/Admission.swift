import Synchronization

/// Admits work on an image only while there is memory for it and a free processor.
///
/// The order is first come, first served. A large image waits until enough memory is free and is not overtaken, so it
/// is always admitted in the end. Waiting suspends the task and blocks no thread.
final class Admission: Sendable {
    /// The memory and the processor of admitted work, released with the last reference at the latest.
    final class Lease: Sendable {
        private let admission: Admission
        private let state: Mutex<(bytes: Int, hasSlot: Bool)>

        fileprivate init(_ bytes: Int, of admission: Admission) {
            self.admission = admission
            state = Mutex((bytes, true))
        }

        deinit {
            keep(0)
        }

        /// Releases the processor, and the memory but for `bytes`.
        func keep(_ bytes: Int) {
            let (released, hasSlot) = state.withLock { state in
                let kept = min(bytes, state.bytes)
                defer { state = (kept, false) }
                return (state.bytes - kept, state.hasSlot)
            }
            if released > 0 || hasSlot { admission.release(released, slots: hasSlot ? 1 : 0) }
        }
    }

    private struct Waiter {
        let number: Int
        let bytes: Int
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var freeBytes: Int
        var freeSlots: Int
        var waiters: [Waiter] = []
        var nextNumber = 0
        /// Waiters that were cancelled before they were queued.
        var cancelled: Set<Int> = []
        /// The time from which admitted work does not go on to its next stage; nil until the run is stopped.
        var end: ContinuousClock.Instant?
    }

    /// The time that admitted work has after a stop: with it a run ends within five seconds.
    private let grace: Duration

    private let state: Mutex<State>
    /// The memory that all admitted work shares, in bytes.
    let memory: Int

    /// Shares `memory` bytes of pixels and `slots` processors.
    init(memory: Int, slots: Int, grace: Duration = .seconds(2.5)) {
        (self.memory, self.grace) = (memory, grace)
        state = Mutex(State(freeBytes: memory, freeSlots: max(1, slots)))
    }

    /// Runs `work` once `bytes` and a slot are free, and releases both afterwards.
    /// - Throws: `CancellationError` if the task was cancelled while it waited or the run was stopped, or what `work` throws.
    func admit<Result: Sendable>(_ bytes: Int, _ work: () async throws -> Result) async throws -> Result {
        let lease = try await lease(bytes)
        defer { lease.keep(0) }
        return try await work()
    }

    /// Waits until `bytes` and a slot are free.
    /// - Throws: `CancellationError` if the task was cancelled or the run stopped meanwhile.
    func lease(_ bytes: Int) async throws(CancellationError) -> Lease {
        let bytes = min(bytes, memory)
        guard await acquire(bytes) else { throw CancellationError() }
        return Lease(bytes, of: self)
    }

    /// Admits nothing any more; what is admitted may go on for a short time.
    func stop() {
        let waiters = state.withLock { state in
            state.end = state.end ?? .now + grace
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }

    /// Checks that admitted work may begin its next stage.
    /// - Throws: `CancellationError` some time after the run was stopped.
    func checkTime() throws(CancellationError) {
        if let end = state.withLock({ $0.end }), end <= .now { throw CancellationError() }
    }

    private func acquire(_ bytes: Int) async -> Bool {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    if state.cancelled.remove(number) != nil || state.end != nil { return false }
                    if state.waiters.isEmpty, state.freeSlots > 0, state.freeBytes >= bytes {
                        state.freeSlots -= 1
                        state.freeBytes -= bytes
                        return true
                    }
                    state.waiters.append(Waiter(number: number, bytes: bytes, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let index = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume(returning: false)
            // The waiters behind the cancelled one may fit now.
            if waiter != nil { wake() }
        }
    }

    private func release(_ bytes: Int, slots: Int) {
        state.withLock { state in
            state.freeSlots += slots
            state.freeBytes += bytes
        }
        wake()
    }

    private func wake() {
        let admitted = state.withLock { state in
            var admitted: [Waiter] = []
            while let first = state.waiters.first, state.freeSlots > 0, state.freeBytes >= first.bytes {
                state.freeSlots -= 1
                state.freeBytes -= first.bytes
                admitted.append(state.waiters.removeFirst())
            }
            return admitted
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }
}
