import Foundation

/// How many values lie where, on a logarithmic scale of ten steps a decade, without keeping the values.
public struct Distribution: Hashable, Sendable {
    /// Steps a decade: the next bound is 26 % higher.
    public static let stepsPerDecade = 10

    /// How many values are in each step, by its number.
    public private(set) var counts: [Int: Int] = [:]
    /// How many values there are.
    public private(set) var count = 0
    /// All values together.
    public private(set) var sum = 0
    /// The largest value.
    public private(set) var maximum = 0

    /// No values.
    public init() {}

    /// Adds a value; one below 1 counts as 1 for its place.
    public mutating func add(_ value: Int) {
        counts[Self.step(of: value), default: 0] += 1
        count += 1
        sum += value
        maximum = max(maximum, value)
    }

    /// The value that the given share of all values, 0 to 1, does not exceed: the upper bound of its step.
    public func bound(ofShare share: Double) -> Int {
        var seen = 0
        for step in counts.keys.sorted() {
            seen += counts[step] ?? 0
            if Double(seen) >= share * Double(count) { return min(maximum, Self.upperBound(of: step)) }
        }
        return maximum
    }

    /// The number of the step that a value is in.
    public static func step(of value: Int) -> Int {
        let value = max(1, value)
        var step = Int(log10(Double(value)) * Double(stepsPerDecade))
        // Rounding may put a bound on the wrong side of itself.
        while upperBound(of: step) < value { step += 1 }
        while step > 0, upperBound(of: step - 1) >= value { step -= 1 }
        return step
    }

    /// The largest value in a step.
    public static func upperBound(of step: Int) -> Int {
        Int(pow(10, Double(step + 1) / Double(stepsPerDecade)))
    }
}
