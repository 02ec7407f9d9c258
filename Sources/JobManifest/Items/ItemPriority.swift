/// The priority among waiting items.
public enum ItemPriority: String, Sendable, Hashable, CaseIterable, Comparable {
    /// A priority; the least urgent is first.
    case veryLow, low, normal, high, veryHigh

    /// The rank from 0, the least urgent, to 4.
    public var rank: Int {
        switch self {
        case .veryLow: 0
        case .low: 1
        case .normal: 2
        case .high: 3
        case .veryHigh: 4
        }
    }

    /// Returns true if `first` is less urgent than `second`.
    public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
}
