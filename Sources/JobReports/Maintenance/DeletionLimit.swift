/// The outputs that one `prune --delete` may remove (`--max-delete`).
public enum DeletionLimit: Sendable, Equatable {
    /// So many.
    case count(Int)
    /// So many of a hundred recorded ones.
    case percent(Double)

    /// Half of the recorded outputs: a list that lost its rows by mistake costs no more than that.
    public static let standard = DeletionLimit.percent(50)

    /// Reads a number such as `500`, or a percentage from 0 to 100 such as `80%`; nil for any other text.
    public init?(_ text: String) {
        let digits = text.hasSuffix("%") ? text.dropLast() : Substring(text)
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 == 46 || (48...57).contains($0) }) else {
            return nil
        }
        if digits.count == text.count {
            guard let number = Int(digits) else { return nil }
            self = .count(number)
        } else {
            guard digits.utf8.first != 46, digits.utf8.last != 46, let number = Double(digits), number <= 100
            else { return nil }
            self = .percent(number)
        }
    }

    /// Returns true if `count` of `recorded` outputs may be removed.
    func allows(_ count: Int, of recorded: Int) -> Bool {
        switch self {
        case .count(let most): count <= most
        case .percent(let share): Double(count) * 100 <= share * Double(recorded)
        }
    }
}
