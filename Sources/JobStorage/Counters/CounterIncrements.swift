/// The amounts that are added to counters in one transaction.
public struct CounterIncrements: Hashable, Sendable {
    /// The amount for each counter.
    public private(set) var amounts: [Counter: Double] = [:]

    /// Creates increments that add nothing.
    public init() {}

    /// True if they add nothing.
    public var isEmpty: Bool { amounts.isEmpty }

    /// Adds an amount to a counter; zero or less adds nothing, since counters only grow.
    public mutating func add(_ amount: Double = 1, to counter: Counter) {
        guard amount > 0 else { return }
        // An item has a few: to grow by one and two would hash them anew.
        if amounts.isEmpty { amounts.reserveCapacity(8) }
        amounts[counter, default: 0] += amount
    }

    /// Adds other increments to these.
    public mutating func add(_ other: CounterIncrements) {
        amounts.merge(other.amounts, uniquingKeysWith: +)
    }
}
