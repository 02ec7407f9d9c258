/// Values as a manifest writes them.
extension CanonicalJSON {
    /// A word of a choice.
    static func word(_ value: some RawRepresentable<String>) -> CanonicalJSON { .string(value.rawValue) }

    /// An array of texts.
    static func strings(_ texts: [String]) -> CanonicalJSON { .array(texts.map(CanonicalJSON.string)) }

    /// An object of texts.
    static func strings(_ texts: [String: String]) -> CanonicalJSON {
        .object(texts.mapValues(CanonicalJSON.string))
    }

    /// A duration; the reader refuses one that is not in whole milliseconds.
    static func duration(_ duration: Duration) -> CanonicalJSON { .string(milliseconds(duration)) }

    /// A range of durations.
    static func durations(_ range: ClosedRange<Duration>) -> CanonicalJSON {
        .string("\(milliseconds(range.lowerBound))..\(milliseconds(range.upperBound))")
    }

    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let (milliseconds, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        return rest == 0 ? "\(Int128(seconds) * 1000 + Int128(milliseconds))ms" : "\(duration)"
    }

    /// A rate; the reader refuses one of another period than a second, a minute or an hour.
    static func rate(_ rate: Rate) -> CanonicalJSON {
        let units = [1: "s", 60: "m", 3600: "h"]
        return .string("\(rate.count)/\(units[rate.seconds] ?? "\(rate.seconds)s")")
    }

    /// The value without the members of objects that are null, which a manifest leaves out.
    var withoutNulls: CanonicalJSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let members):
            .object(
                members.compactMapValues { if case .null = $0 { nil } else { $0.withoutNulls } }
            )
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
