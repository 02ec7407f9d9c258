import Foundation

/// The state behind the lock of a ``HostRateLimiter``: the waiting requests, the outage detector and the one wake-up.
struct HostRateLimiterState {
    typealias Continuation = CheckedContinuation<Duration, any Error>

    struct Waiter {
        let number: UInt64
        let priority: LivePriority
        let continuation: Continuation
    }

    struct Host {
        var rate: HostRate
        let concurrency: Int
        /// Nil if it is turned off.
        var breaker: HostBreaker?
        var running = 0
        /// True if the newest request that ended got no answer.
        var hasFailed = false
        /// The number of times it was chosen to probe for the end of an outage.
        var probes = 0
        /// The waiting requests, in order of arrival.
        var waiters: [Waiter] = []

        /// Returns the number of requests that may run at once now.
        func slots(at now: Duration) -> Int {
            breaker?.slots(of: concurrency, at: now) ?? concurrency
        }

        /// Returns the place of this host among those that may probe: the lowest is next.
        func probeTurn(of name: String) -> (Int, Int, String) { (hasFailed ? 1 : 0, probes, name) }

        /// Grants as many permits as possible, but at most `most`; fails all requests for a host that is down.
        mutating func grant(at now: Duration, most: Int = .max) -> [Event] {
            if breaker?.isDown == true {
                return exchange(&waiters, with: []).map { .failed($0.continuation, HostDownError()) }
            }
            var events: [Event] = []
            while !waiters.isEmpty, events.count < most, running < slots(at: now), rate.take(at: now) {
                events.append(.granted(removeNext().continuation, now))
                running += 1
            }
            return events
        }

        private mutating func removeNext() -> Waiter {
            var next = 0
            for index in waiters.indices.dropFirst()
            where waiters[index].priority.priority.rawValue > waiters[next].priority.priority.rawValue {
                next = index
            }
            return waiters.remove(at: next)
        }

        /// Returns the time of the next turn if time alone decides; nil if nobody waits for it.
        mutating func nextTurn(at now: Duration) -> Duration? {
            guard !waiters.isEmpty else { return nil }
            let opening = max(breaker?.isOpen == true ? breaker?.openUntil ?? now : now, now)
            return running >= slots(at: opening) ? nil : max(rate.nextToken(at: now), opening)
        }

        /// Learns from the end of a request that was let through at `started`.
        mutating func end(_ started: Duration, _ outcome: Permit.Outcome, at now: Duration, isOut: Bool) {
            running -= 1
            switch outcome {
            case .answered:
                hasFailed = false
                rate.answered(requestStarted: started, at: now)
                breaker?.answered()
            case .refused(let retryAfter):
                hasFailed = false
                rate.refused(requestStarted: started, at: now)
                rate.hold(until: now + min(max(retryAfter, .zero), RetryAfter.longest))
                // A host that refuses everything is left alone in the end; of a store the share of refusals decides.
                if rate.namesNoTime {
                    breaker?.answered()
                } else {
                    breaker?.erred(requestStarted: started, at: now)
                }
            case .erred(let retryAfter):
                hasFailed = false
                if let retryAfter {
                    rate.refused(requestStarted: started, at: now)
                    rate.hold(until: now + min(max(retryAfter, .zero), RetryAfter.longest))
                } else {
                    rate.answered(requestStarted: started, at: now)
                }
                breaker?.erred(requestStarted: started, at: now)
            case .unreachable:
                hasFailed = true
                // In an outage of the network no host is to blame.
                if !isOut { breaker?.failed(requestStarted: started, at: now) }
            case .unresolved, .unknown: break
            }
        }
    }

    /// A result for a waiting request, delivered outside the lock.
    enum Event {
        case granted(Continuation, Duration)
        case failed(Continuation, any Error)

        func tell() {
            switch self {
            case .granted(let continuation, let now): continuation.resume(returning: now)
            case .failed(let continuation, let error): continuation.resume(throwing: error)
            }
        }
    }

    private(set) var hosts: [String: Host] = [:]
    /// Nil if it is turned off.
    var outage: OutageDetector?
    private var lastNumber: UInt64 = 0
    /// The earliest turn since the last wake-up was scheduled, and the time of that wake-up.
    private var earliestTurn: Duration?
    private var wakeUpTime: Duration?
    private var wakeUpNumber: UInt64 = 0
    /// The number of hosts above which those without any state are dropped.
    private var forgetsAbove = 1024

    init(outage: OutageDetector?) {
        self.outage = outage
    }

    mutating func makeNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    mutating func enqueue(_ waiter: Waiter, host name: String, at now: Duration, make: () -> Host) -> [Event]
    {
        change(name, at: now, make: make) { $0.waiters.append(waiter) }
    }

    /// Removes a cancelled request from the line.
    mutating func abandon(_ number: UInt64, host name: String) -> [Event] {
        guard let index = hosts[name]?.waiters.firstIndex(where: { $0.number == number }),
            let waiter = hosts[name]?.waiters.remove(at: index)
        else { return [] }
        return [.failed(waiter.continuation, CancellationError())]
    }

    /// Changes a host and grants the permits that are possible now.
    mutating func change(
        _ name: String,
        at now: Duration,
        make: () -> Host,
        _ change: (inout Host) -> Void
    ) -> [Event] {
        if hosts.count > forgetsAbove { forget(at: now) }
        var host = hosts.removeValue(forKey: name) ?? make()
        change(&host)
        let events = isOut ? [] : host.grant(at: now)
        if isOut, !host.waiters.isEmpty {
            noteTurn(outage?.nextProbe)
        } else {
            noteTurn(host.nextTurn(at: now))
        }
        hosts[name] = host
        return events
    }

    /// Reports an outcome to the outage detector, and starts or ends an outage.
    mutating func note(_ outcome: Permit.Outcome, of permit: Permit, at now: Duration) -> [Event] {
        guard outage != nil else { return [] }
        switch outcome {
        case .answered, .refused, .erred:
            guard outage?.answered(host: permit.host, at: now) == true else { return [] }
            return grantAll(at: now)
        case .unreachable:
            if outage?.failed(host: permit.host, requestStarted: permit.started, at: now) == true {
                forgive()
            }
        case .unresolved:
            if outage?.lostNames(host: permit.host, requestStarted: permit.started, at: now) == true {
                forgive()
            }
        case .unknown: outage?.abandoned(host: permit.host, requestStarted: permit.started, at: now)
        }
        if isOut { noteTurn(outage?.nextProbe) }
        return []
    }

    /// True during an outage.
    var isOut: Bool { outage?.began != nil }

    /// Returns the wake-up to schedule, if the scheduled one comes too late.
    mutating func wakeUpNeeded(at now: Duration) -> (number: UInt64, pause: Duration)? {
        guard let turn = earliestTurn, wakeUpTime.map({ turn < $0 }) ?? true else { return nil }
        wakeUpTime = turn
        wakeUpNumber += 1
        return (wakeUpNumber, max(turn - now, .zero))
    }

    /// Grants all possible permits; without effect for a wake-up that an earlier one has replaced.
    mutating func wakeUp(_ number: UInt64, at now: Duration) -> [Event] {
        guard number == wakeUpNumber else { return [] }
        wakeUpTime = nil
        earliestTurn = nil
        return isOut ? probe(at: now) : grantAll(at: now)
    }

    /// Grants every host its possible permits.
    private mutating func grantAll(at now: Duration) -> [Event] {
        var events: [Event] = []
        for name in hosts.keys where hosts[name]?.waiters.isEmpty == false {
            events += hosts[name]?.grant(at: now) ?? []
            noteTurn(hosts[name]?.nextTurn(at: now))
        }
        return events
    }

    /// Clears the failures of all hosts at the start of an outage, which caused them.
    private mutating func forgive() {
        for name in hosts.keys { hosts[name]?.breaker?.answered() }
    }

    /// Admits one probe if it is time, to a host whose last request was answered or that was not asked yet; else to
    /// the one that was chosen least often.
    private mutating func probe(at now: Duration) -> [Event] {
        guard outage?.mayProbe(at: now) == true else {
            noteTurn(outage?.nextProbe)
            return []
        }
        let waiting = hosts.filter { !$0.value.waiters.isEmpty }
            .sorted { $0.value.probeTurn(of: $0.key) < $1.value.probeTurn(of: $1.key) }
        for (name, _) in waiting {
            guard let events = hosts[name]?.grant(at: now, most: 1), !events.isEmpty else {
                noteTurn(hosts[name]?.nextTurn(at: now))
                continue
            }
            hosts[name]?.probes += 1
            outage?.probe(host: name, at: now)
            return events
        }
        return []
    }

    private mutating func noteTurn(_ turn: Duration?) {
        guard let turn else { return }
        earliestTurn = min(earliestTurn ?? turn, turn)
    }

    private mutating func forget(at now: Duration) {
        hosts = hosts.filter { _, host in
            var rate = host.rate
            return host.running > 0 || !host.waiters.isEmpty || !rate.isPristine(at: now)
                || host.breaker.map { $0.failStreak > 0 } ?? false
        }
        forgetsAbove = max(1024, hosts.count * 2)
    }
}
