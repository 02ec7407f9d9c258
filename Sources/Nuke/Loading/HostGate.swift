public import Foundation
import Synchronization

/// Lets requests to each host through at its rate, and only so many at once.
///
/// It is asked before every request, redirects and retries included. Who waits holds nothing else. A host's
/// next turn goes to its waiting request of the highest priority, the first of equals.
public final class HostGate: Sendable {
    /// What one host is asked to bear.
    public struct Limits: Sendable, Hashable {
        /// The highest rate, in requests a second.
        public var rate: Double
        /// How many requests may come at once after a pause: in any t seconds at most rate · t + burst come.
        public var burst: Int
        /// How many requests may run at once.
        public var concurrency: Int

        /// The limits of one host.
        public init(rate: Double = 80, burst: Int = 25, concurrency: Int = 6) {
            self.rate = rate
            self.burst = burst
            self.concurrency = concurrency
        }
    }

    let limits: Limits
    let hosts: [String: Limits]
    let startsEmpty: Bool
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let state = Mutex(HostGateState())

    /// A gate for all hosts.
    /// - Parameters:
    ///   - limits: The limits of each host.
    ///   - hosts: Other limits for some, by ``host(of:)`` or the bare name.
    ///   - startsEmpty: Whether no burst is allowed at first, since an earlier run may just have had one.
    ///   - clock: Measures the time; must never go back.
    public init<C: Clock>(
        limits: Limits = Limits(),
        hosts: [String: Limits] = [:],
        startsEmpty: Bool = false,
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.limits = limits
        self.hosts = Dictionary(hosts.map { ($0.key.lowercased(), $0.value) }) { _, last in last }
        self.startsEmpty = startsEmpty
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: .zero) }
    }

    /// The name under which a URL's host is known here: lower case, with its port if that is not the scheme's.
    public static func host(of url: URL) -> String {
        let host = url.host?.lowercased() ?? ""
        guard let port = url.port else { return host }
        let isDefault =
            (url.scheme?.lowercased(), port) == ("https", 443)
            || (url.scheme?.lowercased(), port) == ("http", 80)
        return isDefault ? host : "\(host):\(port)"
    }

    /// Suspends until the host may be asked.
    /// - Throws: `CancellationError` if the task was cancelled before.
    public func acquire(host: String, priority: Operation.QueuePriority = .normal) async throws -> Permit {
        try await acquire(host: host, priority: LivePriority(priority))
    }

    package func acquire(host: String, priority: LivePriority) async throws -> Permit {
        let number = state.withLock { $0.makeNumber() }
        let started = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                update { state, now in
                    // A task cancelled from here on finds its waiter; one cancelled before says so now.
                    guard !Task.isCancelled else { return [.failed(continuation)] }
                    let waiter = HostGateState.Waiter(
                        number: number,
                        priority: priority,
                        continuation: continuation
                    )
                    return state.enqueue(waiter, host: host, at: now) { newHost(host, at: now) }
                }
            }
        } onCancel: {
            update { state, _ in state.abandon(number, host: host) }
        }
        return Permit(gate: self, host: host, started: started)
    }

    /// Asks the host nothing for this long, from 0 to an hour.
    public func hold(host: String, for pause: Duration) {
        let pause = min(max(pause, .zero), RetryAfter.longest)
        update { state, now in
            state.change(host, at: now, make: { newHost(host, at: now) }) { $0.rate.hold(until: now + pause) }
        }
    }

    /// The rate that the host was found to bear; nil while that is the configured one.
    public func learned(host: String) -> Double? {
        state.withLock { $0.hosts[host]?.rate.learned }
    }

    /// Goes on from the rate that an earlier run has learned.
    public func restore(host: String, rate: Double) {
        update { state, now in
            state.change(host, at: now, make: { newHost(host, at: now) }) { $0.rate.restore(rate, at: now) }
        }
    }

    func release(_ permit: Permit, _ outcome: Permit.Outcome) {
        update { state, now in
            state.change(permit.host, at: now, make: { newHost(permit.host, at: now) }) { host in
                host.running -= 1
                switch outcome {
                case .answered:
                    host.rate.answered(at: now)
                case .refused(let retryAfter):
                    host.rate.refused(requestStarted: permit.started, at: now)
                    host.rate.hold(until: now + min(max(retryAfter, .zero), RetryAfter.longest))
                case .unknown:
                    break
                }
            }
        }
    }

    private func newHost(_ name: String, at now: Duration) -> HostGateState.Host {
        let bare = name.prefix { $0 != ":" }
        let limits = hosts[name] ?? hosts[String(bare)] ?? limits
        let rate = HostRate(limit: limits.rate, burst: limits.burst, isEmpty: startsEmpty, now: now)
        return HostGateState.Host(rate: rate, concurrency: max(limits.concurrency, 1))
    }

    /// Changes the state, then tells who got or lost a turn, and sleeps until the next turn there is.
    private func update(_ change: (inout HostGateState, Duration) -> [HostGateState.Event]) {
        let (events, wakeUp) = state.withLock { state in
            let now = now()
            let events = change(&state, now)
            return (events, state.wakeUpNeeded(at: now))
        }
        for event in events { event.tell() }
        guard let wakeUp else { return }
        // Who waits keeps the gate; a sleep alone need not.
        Task { [weak self, sleep] in
            try? await sleep(wakeUp.pause)
            self?.update { state, now in state.wakeUp(wakeUp.number, at: now) }
        }
    }
}

/// The right to send one request; it ends with ``release(_:)``, or with its last reference.
public final class Permit: Sendable {
    /// What became of the request, as far as it teaches something of the host.
    public enum Outcome: Sendable {
        /// The host answered.
        case answered
        /// The host refused it for its rate (429, 503), and wants to be left alone for so long.
        case refused(retryAfter: Duration)
        /// Nothing is known: the connection failed, or the request was never sent.
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

/// A priority that may change while somebody waits with it.
package final class LivePriority: Sendable {
    private let value: Atomic<Int>

    package init(_ priority: Operation.QueuePriority) {
        value = Atomic(priority.rawValue)
    }

    package var priority: Operation.QueuePriority {
        get { Operation.QueuePriority(rawValue: value.load(ordering: .relaxed)) ?? .normal }
        set { value.store(newValue.rawValue, ordering: .relaxed) }
    }
}
