public import Foundation
import Synchronization
import Transport

/// Limits the rate and the concurrency of requests to each host.
///
/// Acquire a permit before every request, including redirects and retries. A waiting request holds nothing else. A host's
/// next permit goes to its waiting request with the highest priority, in order of arrival among equals.
public final class HostRateLimiter: Sendable {
    /// The limits of one host.
    public struct Limits: Sendable, Hashable {
        /// The highest rate, in requests a second.
        public var rate: Double
        /// The number of requests that may start at once after a pause: in any t seconds at most rate · t + burst start.
        public var burst: Int
        /// The number of requests that may run at once.
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
    /// The limits of each bucket of an object store; nil for those of hosts.
    let bucketLimits: Limits?
    /// The time without requests before the rate limiter was created; nil for long enough.
    let idle: Duration?
    let breaking: HostBreaker.Policy?
    let now: @Sendable () -> Duration
    let sleep: @Sendable (Duration) async throws -> Void
    let state: Mutex<HostRateLimiterState>

    /// Creates a rate limiter for all hosts.
    /// - Parameters:
    ///   - limits: The limits of each host.
    ///   - hosts: Other limits for some, by ``host(of:)`` or the bare name, in any spelling.
    ///   - idle: The time since another process, such as an earlier run, may have sent requests: no tokens are saved
    ///     up for the time before. Nil for long enough, so that each may have a burst at once.
    ///   - clock: Measures the time; must never go back.
    public convenience init<C: Clock>(
        limits: Limits = Limits(),
        hosts: [String: Limits] = [:],
        idle: Duration? = nil,
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.init(limits: limits, hosts: hosts, idle: idle, breaking: nil, outage: nil, clock: clock)
    }

    /// Creates a rate limiter that also pauses hosts that do not answer, and detects outages of the network.
    package init<C: Clock>(
        limits: Limits,
        hosts: [String: Limits],
        bucketLimits: Limits? = nil,
        idle: Duration?,
        breaking: HostBreaker.Policy?,
        outage: OutageDetector.Policy?,
        clock: C = ContinuousClock()
    ) where C.Duration == Duration {
        self.limits = limits
        self.hosts = Dictionary(hosts.map { (HostName.comparablePlace($0.key), $0.value) }) { $1 }
        self.bucketLimits = bucketLimits
        self.idle = idle
        self.breaking = breaking
        state = Mutex(HostRateLimiterState(outage: outage.map { OutageDetector(policy: $0) }))
        let start = clock.now
        now = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(until: clock.now.advanced(by: $0), tolerance: .zero) }
    }

    /// Returns the name of a URL's host here: in one spelling, with its port if that is not the scheme's default.
    ///
    /// A bucket is a host of its own, `s3://bucket`, wherever its service is.
    public static func host(of url: URL) -> String {
        if url.scheme?.lowercased() == "s3" { return "s3://\(url.host?.lowercased() ?? "")" }
        let host = HostName.comparable(url.host ?? "")
        guard let port = url.port else { return host }
        let isDefault =
            (url.scheme?.lowercased(), port) == ("https", 443)
            || (url.scheme?.lowercased(), port) == ("http", 80)
            || (url.scheme?.lowercased(), port) == ("ftp", 21)
        return isDefault ? host : "\(host):\(port)"
    }

    /// Waits for a permit to send a request to the host.
    /// - Throws: `CancellationError` if the task was cancelled before, ``HostDownError``.
    public func acquire(host: String, priority: Operation.QueuePriority = .normal) async throws -> Permit {
        try await acquire(host: host, priority: LivePriority(priority))
    }

    package func acquire(host: String, priority: LivePriority) async throws -> Permit {
        let number = state.withLock { $0.makeNumber() }
        let started = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                update { state, now in
                    // From here on a cancellation finds the waiter; an earlier one is detected now.
                    guard !Task.isCancelled else { return [.failed(continuation, CancellationError())] }
                    let waiter = HostRateLimiterState.Waiter(
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
        return Permit(rateLimiter: self, host: host, started: started)
    }

    func release(_ permit: Permit, _ outcome: Permit.Outcome) {
        update { state, now in
            let isOut = state.isOut
            var events = state.change(permit.host, at: now, make: { newHost(permit.host, at: now) }) { host in
                host.end(permit.started, outcome, at: now, isOut: isOut)
            }
            events += state.note(outcome, of: permit, at: now)
            return events
        }
    }

    func newHost(_ name: String, at now: Duration) -> HostRateLimiterState.Host {
        let isBucket = name.hasPrefix("s3://")
        let limits = HostName.entry(for: name, in: hosts) ?? (isBucket ? bucketLimits : nil) ?? limits
        // The rate limiter's clock started when it was created.
        let rate = HostRate(
            limit: limits.rate,
            burst: limits.burst,
            idle: idle.map { $0 + now },
            now: now,
            namesNoTime: isBucket
        )
        return HostRateLimiterState.Host(
            rate: rate,
            concurrency: max(limits.concurrency, 1),
            breaker: breaking.map { HostBreaker(policy: $0) }
        )
    }

    /// Changes the state, resumes the requests that were granted or refused a permit, and schedules the next wake-up.
    func update(_ change: (inout HostRateLimiterState, Duration) -> [HostRateLimiterState.Event]) {
        let (events, wakeUp) = state.withLock { state in
            let now = now()
            let events = change(&state, now)
            return (events, state.wakeUpNeeded(at: now))
        }
        for event in events { event.tell() }
        guard let wakeUp else { return }
        // Waiting requests retain the rate limiter; a wake-up alone need not.
        Task { [weak self, sleep] in
            try? await sleep(wakeUp.pause)
            self?.update { state, now in state.wakeUp(wakeUp.number, at: now) }
        }
    }
}

/// A priority that may change while a request waits.
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
