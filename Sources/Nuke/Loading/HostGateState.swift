import Foundation

/// Who waits at a ``HostGate``, and the one wake-up that is set: what its lock protects.
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
        var running = 0
        /// In the order of their arrival.
        var waiters: [Waiter] = []

        /// Gives as many turns as there are.
        mutating func grant(at now: Duration) -> [Event] {
            var events: [Event] = []
            while !waiters.isEmpty, running < concurrency, rate.take(at: now) {
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
            waiters.isEmpty || running >= concurrency ? nil : rate.nextToken(at: now)
        }
    }

    /// What somebody who waits must be told, outside the lock.
    enum Event {
        case granted(Continuation, Duration)
        case failed(Continuation)

        func tell() {
            switch self {
            case .granted(let continuation, let now): continuation.resume(returning: now)
            case .failed(let continuation): continuation.resume(throwing: CancellationError())
            }
        }
    }

    private(set) var hosts: [String: Host] = [:]
    private var lastNumber: UInt64 = 0
    /// The earliest turn since the last wake-up was set, and when that will be.
    private var earliestTurn: Duration?
    private var wakeUpTime: Duration?
    private var wakeUpNumber: UInt64 = 0
    /// Hosts of which nothing need be known are forgotten when there are more.
    private var forgetsAbove = 1024

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
        return [.failed(waiter.continuation)]
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
        let events = host.grant(at: now)
        noteTurn(host.nextTurn(at: now))
        hosts[name] = host
        return events
    }

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
        var events: [Event] = []
        for name in hosts.keys where hosts[name]?.waiters.isEmpty == false {
            events += hosts[name]?.grant(at: now) ?? []
            noteTurn(hosts[name]?.nextTurn(at: now))
        }
        return events
    }

    private mutating func noteTurn(_ turn: Duration?) {
        guard let turn else { return }
        earliestTurn = min(earliestTurn ?? turn, turn)
    }

    private mutating func forget(at now: Duration) {
        hosts = hosts.filter { _, host in
            var rate = host.rate
            return host.running > 0 || !host.waiters.isEmpty || !rate.isPristine(at: now)
        }
        forgetsAbove = max(1024, hosts.count * 2)
    }
}
