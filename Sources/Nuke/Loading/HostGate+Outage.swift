import Synchronization

/// What ``HostGate`` makes of requests that end: who is asked less, who is left alone, whether the network is gone.
extension HostGateState {
    /// Tells the detector of an outage, and begins or ends one.
    mutating func note(_ outcome: Permit.Outcome, of permit: Permit, at now: Duration) -> [Event] {
        guard outage != nil else { return [] }
        switch outcome {
        case .answered, .refused:
            guard outage?.answered() == true else { return [] }
            return grantAll(at: now)
        case .unreachable:
            if outage?.failed(host: permit.host, requestStarted: permit.started, at: now) == true {
                forgive()
            }
        case .unknown:
            outage?.abandoned(host: permit.host, requestStarted: permit.started, at: now)
        }
        if isOut { noteTurn(outage?.nextProbe) }
        return []
    }
}

extension HostGateState.Host {
    /// Learns from the end of a request that was let through at `started`.
    mutating func end(_ started: Duration, _ outcome: Permit.Outcome, at now: Duration, isOut: Bool) {
        running -= 1
        switch outcome {
        case .answered:
            rate.answered(at: now)
            breaker?.answered()
        case .refused(let retryAfter):
            rate.refused(requestStarted: started, at: now)
            rate.hold(until: now + min(max(retryAfter, .zero), RetryAfter.longest))
            breaker?.answered()
        case .unreachable:
            // In an outage of the network no host is to blame.
            if !isOut { breaker?.failed(requestStarted: started, at: now) }
        case .unknown:
            break
        }
    }
}

extension HostGate {
    /// How long an outage of the network has lasted; nil while there is none.
    package var outage: Duration? {
        state.withLock { state in state.outage?.began.map { now() - $0 } }
    }

    /// Whether so many hosts do not answer, and none does, that their failures may turn out to be an outage's.
    package var isOutageSuspected: Bool {
        state.withLock { $0.outage?.isSuspected ?? false }
    }
}

/// The host has not answered for so long that it is asked nothing more.
public struct HostDownError: Error, Sendable, CustomStringConvertible {
    /// One sentence without the host.
    public var description: String {
        "the host has not answered for too long, and is left alone for the rest of the run"
    }
}
