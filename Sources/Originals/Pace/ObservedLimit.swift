/// A server's rate limit as its refusals show it, as a value without a clock.
///
/// Servers limit with a token bucket (`limit_req` of nginx, and most gateways): of b + r · t requests in t seconds they admit
/// all. The bucket is empty at each refusal. If it was full again when requests went on after the pause, b + r · t were
/// admitted until the next refusal, with t from the first of them; if not, r · t with t from the refusal before. A request that
/// the bucket would have allowed and nobody sent makes both too small and neither too large, so the larger is the estimate.
/// b is known from the shortest time in which the server began to refuse.
struct ObservedLimit: Sendable {
    /// The admitted requests whose times are kept; they describe r to 1 %.
    private static let history = 128
    /// The admitted requests, and the seconds, that are enough for an estimate.
    private static let fewest = 8
    private static let shortest = 0.25

    /// The start of each request that was admitted since requests went on, the newest of them; kept once the host has refused.
    private var admitted: [Double] = []
    private var count = 0
    private var began: Double?
    private var refused: Double?
    /// The shortest time from a first request to a refusal, and the requests admitted in it.
    private var burst: (seconds: Double, count: Int)?

    /// Records a request that was sent at `started` and admitted.
    mutating func admitted(_ started: Duration) {
        let started = started / .seconds(1)
        began = min(began ?? started, started)
        count += 1
        guard refused != nil else { return }
        if admitted.count == Self.history { admitted.removeFirst() }
        admitted.append(started)
    }

    /// Records that a request sent at `started` was refused, and returns the estimate in requests a second; nil without one.
    mutating func refused(_ started: Duration) -> Double? {
        let end = started / .seconds(1)
        defer { (admitted, count, began, refused) = ([], 0, nil, end) }
        let estimate = [betweenRefusals(until: end), beyondBurst(until: end)].compactMap(\.self).max()
        let seconds = end - (began ?? end)
        if seconds < burst?.seconds ?? .infinity { burst = (seconds, count) }
        return estimate
    }

    /// True if the server refused what it was sent at once, which says nothing about its rate.
    func isBurst(of tokens: Double) -> Bool {
        refused == nil && Double(count) <= 2 * tokens
    }

    /// Half a request more than were admitted: the one that was refused would have been admitted by a part of a token.
    private func betweenRefusals(until end: Double) -> Double? {
        guard let refused, count >= Self.fewest, end > refused else { return nil }
        return (Double(count) + 0.5) / (end - refused)
    }

    /// The steepest of the slopes over the times up to the refusal: in some the server was asked for less than it allows.
    private func beyondBurst(until end: Double) -> Double? {
        guard let burst else { return nil }
        var steepest: Double?
        for (index, start) in admitted.sorted().enumerated() {
            let (more, seconds) = (admitted.count - index - burst.count, end - start - burst.seconds)
            guard more >= Self.fewest, seconds >= Self.shortest else { continue }
            steepest = max(steepest ?? 0, (Double(more) + 0.5) / seconds)
        }
        return steepest
    }
}
