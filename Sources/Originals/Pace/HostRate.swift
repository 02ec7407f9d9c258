import Foundation

/// The request rate of one host: a token bucket that adapts to refusals, as a value without a clock.
///
/// Times are durations since any fixed moment, and never go back. In any t seconds at most rate · t + burst
/// tokens are given. An episode of refusals empties the bucket and lowers the rate to what the server was seen to admit
/// (``ObservedLimit``). Until that is known the rate is halved, or quartered if the server refused a burst, and successes
/// raise it by half a second, up to 0.85 of what was refused. Beyond, it creeps: by 0.3 % a second at first, and faster the
/// longer nothing is refused. Until it is back at the configured rate the bucket holds two tokens at most, since a burst is
/// what limits of servers refuse first.
///
/// Of a server that names no time the share of refusals decides instead (``RefusalShare``).
package struct HostRate: Sendable {
    private static let growth = 1.5
    /// The growth per second at the start of creeping, and the seconds after which it is twice that.
    private static let (creep, creepDoubling) = (0.003, 10.0)
    private static let safeShare = 0.85
    /// The bounds on what an episode does to the rate: it is divided by 8, or multiplied by 0.95.
    private static let (longestDrop, leastDrop) = (8.0, 0.95)
    /// The share of an estimate for the next run, which begins with an empty bucket of its own and a full one of the server's.
    private static let learnedEstimate = 0.97
    /// The server's own burst hides for a while that a rate is too high, so the next run starts below the last one.
    ///
    /// In simulations of limits of nginx 0.88 let a second run of ten seconds go without a refusal.
    private static let learnedShare = 0.88
    private static let learnedBurst = 2.0
    /// The seconds of a learned rate that the bucket holds where the share of refusals decides: its rates are hundreds a second.
    private static let learnedTime = 0.02
    private static let slowest = 0.01
    /// The longest time that one success counts for: those of a slow host are rare, and each counts for the time since the last.
    private static let longestStep = 10.0

    /// The highest rate, in tokens a second.
    package let limit: Double
    /// The most tokens that the bucket holds.
    package let burst: Double
    /// The rate now.
    package private(set) var rate: Double
    /// The time before which no token is granted.
    package private(set) var heldUntil: Duration = .zero
    private var tokens: Double
    private var updated: Duration
    /// The start of the last episode of refusals, and the rate up to which the rate recovers quickly after it.
    private var episode: (began: Duration, safe: Double)?
    private var observed = ObservedLimit()
    /// True if ``episode`` has the server's own limit.
    private var isEstimated = false
    private var creepBegan: Duration?
    private var lastStep: Duration = .zero
    /// The rate that an earlier run learned, until a refusal disproves it.
    private var remembered: Double?
    /// Nil for a server that says when to come back.
    private var share: RefusalShare?

    /// Creates a bucket at its highest rate; full, or as full as it became in the time `idle` since it may have been empty.
    ///
    /// With `namesNoTime` the share of refusals decides about the rate.
    package init(
        limit: Double,
        burst: Int,
        idle: Duration? = nil,
        now: Duration = .zero,
        namesNoTime: Bool = false
    ) {
        let (limit, burst) = (max(limit, Self.slowest), Double(max(burst, 1)))
        self.limit = limit
        self.burst = burst
        rate = limit
        tokens = idle.map { min(max($0 / .seconds(1), 0) * limit, burst) } ?? burst
        updated = now
        share = namesNoTime ? RefusalShare(limit: limit, now: now) : nil
    }

    /// Takes a token; false if there is none yet.
    package mutating func take(at now: Duration) -> Bool {
        refill(now)
        guard now >= heldUntil, tokens >= 1 else { return false }
        tokens -= 1
        return true
    }

    /// Returns the time of the next token, if nothing changes before.
    package mutating func nextToken(at now: Duration) -> Duration {
        refill(now)
        // A microsecond more, so that rounding never leaves the bucket a hair short at that moment.
        let wait = tokens >= 1 ? .zero : Duration.seconds((1 - tokens) / rate) + .microseconds(1)
        // What was learned is not saved up while the host is held.
        return rate < limit ? max(now, heldUntil) + wait : max(now + wait, heldUntil)
    }

    /// Grants no token until `time`.
    package mutating func hold(until time: Duration) {
        heldUntil = max(heldUntil, time)
    }

    /// Records a request that the host refused for its rate.
    ///
    /// A request that started before the episode belongs to it and changes nothing.
    package mutating func refused(requestStarted: Duration, at now: Duration) {
        refill(now)
        if share != nil { return count(isRefused: true, requestStarted, at: now) }
        if let episode, requestStarted <= episode.began { return }
        let isBurst = observed.isBurst(of: burst)
        let estimate = observed.refused(requestStarted)
        isEstimated = estimate != nil
        if let estimate {
            rate = min(max(estimate, rate / Self.longestDrop), Self.leastDrop * rate)
            episode = (now, rate)
        } else {
            episode = (now, min(Self.safeShare * rate, limit))
            rate /= isBurst ? 4 : 2
        }
        rate = max(rate, Self.slowest)
        remembered = nil
        creepBegan = nil
        tokens = 0
        lastStep = now
    }

    /// Records an answer to a request.
    package mutating func answered(requestStarted: Duration, at now: Duration) {
        refill(now)
        if share != nil { return count(isRefused: false, requestStarted, at: now) }
        // One that began before the episode was admitted by what the server had left.
        if episode.map({ requestStarted > $0.began }) ?? true { observed.admitted(requestStarted) }
        guard let episode, rate < limit else { return }
        let since = max(lastStep, heldUntil)
        lastStep = max(now, since)
        let seconds = min(max((now - since) / .seconds(1), 0), Self.longestStep)
        if rate < episode.safe {
            rate = min(rate * pow(Self.growth, seconds), episode.safe)
        } else {
            let began = creepBegan ?? since
            creepBegan = began
            let crept = (since - began) / .seconds(1) + seconds / 2
            rate = min(rate * exp(Self.creep * (1 + crept / Self.creepDoubling) * seconds), limit)
        }
    }

    /// The start rate for a later run, in tokens a second; nil for the configured rate.
    ///
    /// It is the server's limit if that is known, and while the rate recovers after an episode, the rate up to which it recovers
    /// quickly.
    package var learned: Double? {
        if let share { return rate < limit ? max(rate, share.safe) : nil }
        guard let episode, rate < limit else { return nil }
        let known = isEstimated ? Self.learnedEstimate * episode.safe : remembered ?? 0
        return !isEstimated && rate < episode.safe ? episode.safe : max(Self.learnedShare * rate, known)
    }

    /// True if the share of refusals decides about the rate.
    package var namesNoTime: Bool { share != nil }

    /// True if an object store refuses nearly all requests.
    package var isRefusing: Bool { share?.isRefusing ?? false }

    /// Restores the rate that an earlier run learned.
    package mutating func restore(_ learned: Double, at now: Duration) {
        refill(now)
        guard learned.isFinite, learned < limit else { return }
        rate = max(learned, Self.slowest)
        tokens = min(tokens, Self.learnedBurst)
        if share != nil { return share = RefusalShare(limit: limit, learned: rate, now: now) }
        remembered = rate
        episode = (now, rate)
        (isEstimated, creepBegan) = (false, nil)
        lastStep = now
    }

    /// True if it does not differ from a new one, so that it can be dropped.
    mutating func isPristine(at now: Duration) -> Bool {
        refill(now)
        return rate == limit && tokens == burst && heldUntil <= now
    }

    private mutating func count(isRefused: Bool, _ started: Duration, at now: Duration) {
        guard let next = share?.ended(isRefused: isRefused, started: started, at: now, rate: rate) else {
            return
        }
        rate = max(next, Self.slowest)
        tokens = min(tokens, capacity)
    }

    /// The most tokens that the bucket holds now.
    private var capacity: Double {
        guard rate < limit else { return burst }
        return min(burst, max(Self.learnedBurst, share == nil ? 0 : Self.learnedTime * rate))
    }

    private mutating func refill(_ now: Duration) {
        // Nothing is saved up while the host is held: it would come out as a burst.
        let from = max(updated, rate < limit ? min(heldUntil, now) : updated)
        updated = max(now, updated)
        let seconds = max((now - from) / .seconds(1), 0)
        tokens = min(tokens + rate * seconds, capacity)
    }
}
