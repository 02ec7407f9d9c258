/// What one round of events leaves to do for the event loop, told by its handles while libcurl calls them.
final class EventRound {
    let buffers = ChunkBuffers()
    /// When the round began: exact enough for limits of time, and read once instead of for every line.
    private(set) var start = ContinuousClock.now
    /// The handles with bytes that are not delivered yet.
    private var holders: [EasyHandle] = []
    /// The first end of the time for bodies that nobody wants, of those that came in this round.
    private var discardDeadline: ContinuousClock.Instant?

    /// The handles that wait for their bandwidth, until when.
    private(set) var paused: [(handle: EasyHandle, end: ContinuousClock.Instant)] = []

    /// Lets those go on whose time has come, in the order in which they paused.
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

    /// Delivers what came.
    /// - Returns: A deadline that has come with it.
    func deliver() -> ContinuousClock.Instant? {
        defer {
            holders.removeAll(keepingCapacity: true)
            discardDeadline = nil
        }
        for holder in holders { holder.flush() }
        return discardDeadline
    }
}
