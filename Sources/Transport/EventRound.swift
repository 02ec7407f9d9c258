/// What one round of events leaves to do for the event loop, told by its handles while libcurl calls them.
final class EventRound {
    let buffers = ChunkBuffers()
    /// When the round began: exact enough for limits of time, and read once instead of for every line.
    private(set) var start = ContinuousClock.now
    /// The handles with bytes that are not delivered yet.
    private var holders: [EasyHandle] = []
    /// The first end of the time for bodies that nobody wants, of those that came in this round.
    private var discardDeadline: ContinuousClock.Instant?

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
