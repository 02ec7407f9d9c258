import Synchronization

/// The consequences of ended requests: lower rates, paused hosts and outages of the network.
extension HostRateLimiterState {
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
        case .unknown:
            outage?.abandoned(host: permit.host, requestStarted: permit.started, at: now)
        }
        if isOut { noteTurn(outage?.nextProbe) }
        return []
    }
}

extension HostRateLimiterState.Host {
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
        case .unresolved, .unknown:
            break
        }
    }
}

extension HostRateLimiter {
    /// The time since an outage of the network began; nil while there is none.
    package var outage: Duration? {
        state.withLock { state in state.outage?.began.map { now() - $0 } }
    }

    /// True if so many hosts fail, and none answers, that an outage may be the cause.
    package var isOutageSuspected: Bool {
        state.withLock { $0.outage?.isSuspected ?? false }
    }
}

/// The error for a host that has not answered, or only with errors of its own and refusals, for so long that no further request is
/// sent.
public struct HostDownError: Error, Sendable, CustomStringConvertible {
    /// One sentence without the host.
    public var description: String {
        "the host has not answered for too long, or only with errors (5xx) and refusals (429), and is left alone for the rest of the run"
    }
}
