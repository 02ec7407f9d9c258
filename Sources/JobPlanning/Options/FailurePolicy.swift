/// The failed items that make a run end with exit code 1 (`--fail-on`).
public enum FailurePolicy: Sendable, Equatable {
    /// Any failed item.
    case any
    /// Failed items that no finished run has reported yet.
    case new
    /// More than this percentage of the job's items.
    case share(percent: Double)
    /// None.
    case never

    /// Reads `any`, `new`, `never` or a percentage such as `2%`; nil for any other text.
    public init?(_ text: String) {
        switch text {
        case "any": self = .any
        case "new": self = .new
        case "never": self = .never
        default:
            guard text.last == "%", let percent = Self.percent(text.dropLast()) else { return nil }
            self = .share(percent: percent)
        }
    }

    /// Returns true if a job of `items` items, of which `failed` are failed and `new` of these were not reported yet, fails.
    public func fails(failed: Int, new: Int, items: Int) -> Bool {
        switch self {
        case .any: failed > 0
        case .new: new > 0
        case .share(let percent): Double(failed) * 100 > percent * Double(items)
        case .never: false
        }
    }

    /// Reads a number from 0 to 100 of digits and a point.
    private static func percent(_ text: Substring) -> Double? {
        guard let first = text.utf8.first, let last = text.utf8.last, first != 46, last != 46,
            text.utf8.allSatisfy({ $0 == 46 || (48...57).contains($0) }), let number = Double(text),
            number <= 100
        else { return nil }
        return number
    }
}
