import Synchronization

/// The right to send one request; it ends with ``release(_:)``, or with its last reference.
public final class Permit: Sendable {
    /// What became of the request, as far as it teaches something of the host.
    public enum Outcome: Sendable {
        /// The host answered.
        case answered
        /// The host refused it for its rate (429, 503), and wants to be left alone for so long.
        case refused(retryAfter: Duration)
        /// No connection, or no answer on it, through no fault of the request.
        case unreachable
        /// Nothing is known: the answer broke off, or the request was never sent.
        case unknown
    }

    /// The host.
    public let host: String
    let started: Duration
    private let gate: HostGate
    private let isReleased = Atomic(false)

    init(gate: HostGate, host: String, started: Duration) {
        self.gate = gate
        self.host = host
        self.started = started
    }

    deinit {
        release(.unknown)
    }

    /// Gives the place back; only the first call counts.
    public func release(_ outcome: Outcome) {
        guard !isReleased.exchange(true, ordering: .relaxed) else { return }
        gate.release(self, outcome)
    }
}
