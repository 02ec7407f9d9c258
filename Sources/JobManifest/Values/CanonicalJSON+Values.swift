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
    @Sendable static func duration(_ duration: Duration) -> CanonicalJSON { .string(milliseconds(duration)) }

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
    @Sendable static func rate(_ rate: Rate) -> CanonicalJSON {
        let units = [1: "s", 60: "m", 3600: "h"]
        return .string("\(rate.count)/\(units[rate.seconds] ?? "\(rate.seconds)s")")
    }

    /// The value without the members of objects that are null, which a manifest leaves out.
    var withoutNulls: CanonicalJSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .object(let members):
            .object(members.compactMapValues { if case .null = $0 { nil } else { $0.withoutNulls } })
        case .null, .bool, .integer, .number, .string, .written: self
        }
    }
}

/// Values as people write them.
extension CanonicalJSON {
    /// A number of bytes in the largest unit that leaves a whole number.
    @Sendable static func size(_ bytes: Int) -> CanonicalJSON {
        let units: [(String, Int)] = [
            ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000),
            ("MiB", 1 << 20), ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000),
        ]
        return quantity(bytes, units)
    }

    /// A number of pixels.
    @Sendable static func pixels(_ count: Int) -> CanonicalJSON { quantity(count, [("MP", 1_000_000)]) }

    private static func quantity(_ count: Int, _ units: [(name: String, factor: Int)]) -> CanonicalJSON {
        guard let unit = units.first(where: { count.isMultiple(of: $0.factor) }) else {
            return .integer(count)
        }
        return .string("\(count / unit.factor)\(unit.name)")
    }

    /// A duration in the largest unit that leaves a whole number; up to a minute in seconds.
    static func shown(_ duration: Duration) -> String {
        let (seconds, rest) = duration.components
        guard rest == 0 else { return milliseconds(duration) }
        let units: [(name: String, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60)]
        guard seconds > 60, let unit = units.first(where: { seconds.isMultiple(of: $0.seconds) }) else {
            return "\(seconds)s"
        }
        return "\(seconds / unit.seconds)\(unit.name)"
    }
}
