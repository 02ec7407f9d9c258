import Foundation

/// A histogram on a logarithmic scale of ten steps per decade, which keeps no values, with exact quantiles.
public struct Distribution: Hashable, Sendable {
    /// The steps per decade: each bound is 26 % higher than the one before.
    public static let stepsPerDecade = 10

    /// The number of values in each step, by the step's number.
    public private(set) var counts: [Int: Int] = [:]
    /// The number of values.
    public private(set) var count = 0
    /// The sum of all values.
    public private(set) var sum = 0
    /// The largest value.
    public private(set) var maximum = 0
    /// The median; the mean of the two middle values if their number is even.
    public package(set) var median = 0
    /// The smallest value that at least 95 % of all values do not exceed.
    public internal(set) var percentile95 = 0

    /// Makes a histogram without values.
    public init() {}

    /// Adds a value; one below 1 is counted in the lowest step.
    public mutating func add(_ value: Int) {
        counts[Self.step(of: value), default: 0] += 1
        count += 1
        sum += value
        maximum = max(maximum, value)
    }

    /// Adds the values of another distribution; its quantiles are not those of both.
    mutating func add(_ other: Distribution) {
        counts.merge(other.counts, uniquingKeysWith: +)
        count += other.count
        sum += other.sum
        maximum = max(maximum, other.maximum)
    }

    /// Returns the step of the value with this rank, from 0 for the smallest, and its rank among the values of the step.
    func place(ofRank rank: Int) -> (step: Int, rank: Int)? {
        var rest = rank
        for step in counts.keys.sorted() {
            let count = counts[step] ?? 0
            if rest < count { return (step, rest) }
            rest -= count
        }
        return nil
    }

    /// Returns the number of the step that holds a value.
    public static func step(of value: Int) -> Int {
        let value = max(1, value)
        var step = Int(log10(Double(value)) * Double(stepsPerDecade))
        // Rounding may put a bound on the wrong side of itself.
        while upperBound(of: step) < value { step += 1 }
        while step > 0, upperBound(of: step - 1) >= value { step -= 1 }
        return step
    }

    /// Returns the largest value in a step.
    public static func upperBound(of step: Int) -> Int {
        Int(pow(10, Double(step + 1) / Double(stepsPerDecade)))
    }
}
