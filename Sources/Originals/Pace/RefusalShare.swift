import Foundation

/// The rate for a server that refuses a share of what it is sent and names no time, as object stores do, as a value without a clock.
///
/// Such refusals (`SlowDown`) are often no limit on a rate: a store that spreads a bucket over more machines refuses at
/// random meanwhile, and one that is ill refuses a share however slow it is asked. So the share that is refused in a second
/// decides, not a single answer. Above a tenth the rate falls to what was admitted; if that does not halve the share after
/// three times, the server does not refuse because of the rate. Below a fiftieth it rises: by half a second to the last rate
/// that was accepted, by 1 % beyond. Only when nearly all is refused does it fall to an eighth each second.
struct RefusalShare: Sendable {
    private static let (fewest, shortest, longest) = (50, 1.0, 5.0)
    private static let (tooMany, few, nearlyAll) = (0.1, 0.02, 0.9)
    private static let (longestDrop, leastDrop, mostDrops) = (8.0, 0.95, 3)
    private static let (growth, creep) = (1.5, 1.01)
    private static let safeShare = 0.85
    /// The lowest rate, as a share of the configured one.
    private static let lowest = 0.01

    private let limit: Double
    /// The start of the seconds that are counted; requests that started before belong to an earlier rate.
    private var began: Duration
    private var (admitted, refused) = (0, 0)
    /// The rate up to which it rises quickly.
    private(set) var safe: Double
    /// The number of times that the rate fell in a row, and the share that was refused before the first of them.
    private var drops: (count: Int, share: Double)?
    /// True if nearly all requests of the last seconds were refused.
    private(set) var isRefusing = false

    /// Begins at the limit, or with the rate that an earlier run learned.
    init(limit: Double, learned: Double? = nil, now: Duration) {
        (self.limit, safe, began) = (limit, learned ?? limit, now)
    }

    /// Records the end of a request, and returns the rate after it.
    mutating func ended(isRefused: Bool, started: Duration, at now: Duration, rate: Double) -> Double {
        guard started >= began else { return rate }
        if isRefused { refused += 1 } else { admitted += 1 }
        let (count, seconds) = (Double(admitted + refused), (now - began) / .seconds(1))
        guard seconds >= Self.shortest, Int(count) >= Self.fewest || seconds >= Self.longest else {
            return rate
        }
        let (share, pace) = (Double(refused) / count, Double(admitted) / seconds)
        (began, admitted, refused) = (now, 0, 0)
        isRefusing = share >= Self.nearlyAll
        if share > Self.tooMany { return lowered(rate, share: share, admitted: pace) }
        if share <= Self.few { drops = nil }
        return share > Self.few && rate >= safe ? rate : raised(rate, seconds: min(seconds, Self.longest))
    }

    private mutating func lowered(_ rate: Double, share: Double, admitted pace: Double) -> Double {
        let floor = Self.lowest * limit
        // Twice the share is another trouble than that before.
        if let drops, share > 2 * drops.share { self.drops = nil }
        let before = drops ?? (0, share)
        if drops == nil { safe = min(safe, max(Self.safeShare * rate, floor)) }
        drops = before
        if share >= Self.nearlyAll { return max(rate / Self.longestDrop, floor) }
        guard before.count < Self.mostDrops || share < before.share / 2 else { return rate }
        drops?.count += 1
        let next = max(min(max(pace, rate / Self.longestDrop), rate) * Self.leastDrop, floor)
        // The first such second may be the one in which all began to be refused, or ceased to be.
        if before.count > 0 { safe = next }
        return next
    }

    private func raised(_ rate: Double, seconds: Double) -> Double {
        if rate < safe { return min(rate * pow(Self.growth, seconds), safe) }
        return min(rate * pow(Self.creep, seconds), limit)
    }
}
