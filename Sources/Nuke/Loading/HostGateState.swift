import Foundation

/// Who waits at a ``HostGate``, whether there is an outage, and the one wake-up that is set: what its lock protects.
struct HostGateState {
    typealias Continuation = CheckedContinuation<Duration, any Error>

    struct Waiter {
        let number: UInt64
        let priority: LivePriority
        let continuation: Continuation
    }

    struct Host {
        var rate: HostRate
        let concurrency: Int
        /// Nil where nobody asked for one.
        var breaker: HostBreaker?
        var running = 0
        /// How often it was chosen to find out whether an outage is over.
        var probes = 0
        /// In the order of their arrival.
        var waiters: [Waiter] = []

        /// How many requests may run at once now.
        func places(at now: Duration) -> Int {
            breaker?.places(of: concurrency, at: now) ?? concurrency
        }

        /// Gives as many turns as there are, but no more than `most`; tells all who wait for a host that is down.
        mutating func grant(at now: Duration, most: Int = .max) -> [Event] {
            if breaker?.isDown == true {
                defer { waiters = [] }
                return waiters.map { .failed($0.continuation, HostDownError()) }
            }
            var events: [Event] = []
            while !waiters.isEmpty, events.count < most, running < places(at: now), rate.take(at: now) {
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

        /// When time alone will give a turn; nil if nobody waits for it.
        mutating func nextTurn(at now: Duration) -> Duration? {
            guard !waiters.isEmpty else { return nil }
            let opening = max(breaker?.isOpen == true ? breaker?.openUntil ?? now : now, now)
            return running >= places(at: opening) ? nil : max(rate.nextToken(at: now), opening)
        }
    }

    /// What somebody who waits must be told, outside the lock.
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
    /// Nil where nobody asked for one.
    var outage: OutageDetector?
    private var lastNumber: UInt64 = 0
    /// The earliest turn since the last wake-up was set, and when that will be.
    private var earliestTurn: Duration?
    private var wakeUpTime: Duration?
    private var wakeUpNumber: UInt64 = 0
    /// Hosts of which nothing need be known are forgotten when there are more.
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

    /// Takes who was cancelled out of the line.
    mutating func abandon(_ number: UInt64, host name: String) -> [Event] {
        guard let index = hosts[name]?.waiters.firstIndex(where: { $0.number == number }),
            let waiter = hosts[name]?.waiters.remove(at: index)
        else { return [] }
        return [.failed(waiter.continuation, CancellationError())]
    }

    /// Changes a host and gives the turns that there are now.
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

    /// Whether there is an outage.
    var isOut: Bool { outage?.began != nil }

    /// The wake-up that must be set, if the one that is set comes too late.
    mutating func wakeUpNeeded(at now: Duration) -> (number: UInt64, pause: Duration)? {
        guard let turn = earliestTurn, wakeUpTime.map({ turn < $0 }) ?? true else { return nil }
        wakeUpTime = turn
        wakeUpNumber += 1
        return (wakeUpNumber, max(turn - now, .zero))
    }

    /// Gives all turns that there are; a wake-up that an earlier one has replaced does nothing.
    mutating func wakeUp(_ number: UInt64, at now: Duration) -> [Event] {
        guard number == wakeUpNumber else { return [] }
        wakeUpTime = nil
        earliestTurn = nil
        return isOut ? probe(at: now) : grantAll(at: now)
    }

    /// Gives every host the turns that it has.
    mutating func grantAll(at now: Duration) -> [Event] {
        var events: [Event] = []
        for name in hosts.keys where hosts[name]?.waiters.isEmpty == false {
            events += hosts[name]?.grant(at: now) ?? []
            noteTurn(hosts[name]?.nextTurn(at: now))
        }
        return events
    }

    /// An outage has begun: what failed in it was no host's fault.
    mutating func forgive() {
        for name in hosts.keys { hosts[name]?.breaker?.answered() }
    }

    /// Lets one request through if it is time, to the host that was chosen least often.
    private mutating func probe(at now: Duration) -> [Event] {
        guard outage?.mayProbe(at: now) == true else {
            noteTurn(outage?.nextProbe)
            return []
        }
        let waiting = hosts.filter { !$0.value.waiters.isEmpty }
            .sorted { ($0.value.probes, $0.key) < ($1.value.probes, $1.key) }
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

    mutating func noteTurn(_ turn: Duration?) {
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
