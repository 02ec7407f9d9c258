/// The work that one round of events leaves for the event loop, collected while libcurl calls the handles.
final class EventRound {
    let buffers = ChunkBuffers()
    /// The start of the round: exact enough for time limits, and read once instead of for every line.
    private(set) var start = ContinuousClock.now
    /// The handles with undelivered bytes.
    private var holders: [EasyHandle] = []
    /// The earliest time limit of the discarded bodies that arrived in this round.
    private var discardDeadline: ContinuousClock.Instant?

    /// The paused handles and the times at which they may resume.
    private(set) var paused: [(handle: EasyHandle, end: ContinuousClock.Instant)] = []

    /// Resumes the handles whose time has come, in the order in which they paused.
    func resume() {
        guard !paused.isEmpty else { return }
        let due = paused.filter { $0.end <= start }
        paused.removeAll { $0.end <= start }
        for (handle, _) in due { handle.resume() }
    }

    func notePause(of handle: EasyHandle, until end: ContinuousClock.Instant) {
        paused.append((handle, end))
    }

    func begin() {
        start = .now
    }

    func noteBytes(of handle: EasyHandle) {
        holders.append(handle)
    }

    func noteDiscardDeadline(_ deadline: ContinuousClock.Instant) {
        discardDeadline = min(discardDeadline ?? deadline, deadline)
    }

    /// Delivers buffered bytes.
    /// - Returns: A deadline that arose in this round.
    func deliver() -> ContinuousClock.Instant? {
        defer {
            holders.removeAll(keepingCapacity: true)
            discardDeadline = nil
        }
        for holder in holders { holder.flush() }
        return discardDeadline
    }
}
