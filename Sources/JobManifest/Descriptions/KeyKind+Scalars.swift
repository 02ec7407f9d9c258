import Imaging

extension KeyKind where Value == String {
    /// Text as written.
    static var string: Self { KeyKind("string", schema: ManifestSchema.string) { $0.string() } }

    /// Text that may hold `${NAME}`, with its variables expanded.
    static var expanded: Self { KeyKind("string", schema: ManifestSchema.string) { $0.expandedString() } }

    /// Text for a header of a request, with its variables expanded.
    static var headerText: Self { KeyKind("string", schema: ManifestSchema.string) { $0.headerText() } }

    /// Text of at least one character; the reader of the section reports an empty one.
    static var filled: Self {
        KeyKind("string", schema: ["type": "string", "minLength": 1]) { $0.string() }
    }

    /// Text of one character; the reader of the section reports others.
    static var character: Self {
        KeyKind("character", schema: ["type": "string", "minLength": 1, "maxLength": 1]) { $0.string() }
    }

    /// Text, or a number as written.
    static var scalar: Self { KeyKind("string or number", schema: ManifestSchema.scalar) { $0.text() } }
}

extension KeyKind where Value == Bool {
    static var bool: Self { KeyKind("boolean", schema: ManifestSchema.bool) { $0.bool() } }
}

extension KeyKind where Value == Int {
    /// A whole number within `range`.
    static func integer(_ range: ClosedRange<Int>) -> Self {
        KeyKind(
            "integer, \(range.lowerBound) to \(range.upperBound)",
            schema: ManifestSchema.integer(range)
        ) { $0.integer(range) }
    }

    /// A whole number of which this release takes one alone; the reader of the section refuses others within `range`.
    static func only(_ value: Int, of range: ClosedRange<Int>) -> Self {
        KeyKind("`\(value)`", schema: ["const": .integer(value)]) { $0.integer(range) }
    }

    /// A side of an image in pixels, at most what `limits.maxDimension` allows.
    static var side: Self {
        KeyKind("pixels, 1 to `maxDimension`", schema: ManifestSchema.side) { $0.side() }
    }

    /// A distance in pixels, at most what `limits.maxDimension` allows.
    static var distance: Self {
        KeyKind(
            "pixels, 0 to `maxDimension`",
            schema: ManifestSchema.integer(0...LimitSettings.largestDimension)
        ) { $0.integer(0...$0.reading.shared.maxDimension) }
    }

    static var size: Self { KeyKind("size", schema: ManifestSchema.size) { $0.size() } }

    static var pixels: Self { KeyKind("pixel count", schema: ManifestSchema.pixels) { $0.pixels() } }
}

extension KeyKind where Value == Double {
    /// A number within `range`.
    static func number(_ range: ClosedRange<Double>) -> Self {
        KeyKind(
            "number, \(CanonicalJSON.plain(range.lowerBound).text) to \(CanonicalJSON.plain(range.upperBound).text)",
            schema: ManifestSchema.number(range)
        ) { $0.number(range) }
    }

    /// A length in pixels and their parts, at most what `limits.maxDimension` allows.
    static func length(from least: Double) -> Self {
        KeyKind(
            "pixels, \(CanonicalJSON.plain(least).text) to `maxDimension`",
            schema: ManifestSchema.number(least...Double(LimitSettings.largestDimension))
        ) { $0.number(least...Double($0.reading.shared.maxDimension)) }
    }
}

extension KeyKind where Value == Duration {
    static var duration: Self { KeyKind("duration", schema: ManifestSchema.duration) { $0.duration() } }
}

extension KeyKind where Value == RetrySettings.Recheck {
    static var recheck: Self {
        KeyKind(
            "duration or `\"never\"`",
            schema: ManifestSchema.any(ManifestSchema.duration, ["const": "never"])
        ) { node in
            if case .string("never") = node.value.kind { .never } else { node.duration().map(Value.after) }
        }
    }
}

extension KeyKind where Value == ClosedRange<Duration> {
    static var durations: Self {
        KeyKind("duration range", schema: ManifestSchema.durations) { $0.durations() }
    }
}

extension KeyKind where Value == Rate {
    static var rate: Self { KeyKind("rate", schema: ManifestSchema.rate) { $0.rate() } }
}

extension KeyKind where Value == Color {
    static var color: Self { KeyKind("colour", schema: ManifestSchema.color) { $0.color() } }
}

extension KeyKind where Value == RGBColor {
    static var opaqueColor: Self {
        KeyKind("opaque colour", schema: ManifestSchema.opaqueColor) { $0.opaqueColor() }
    }
}

extension KeyKind where Value: CaseIterable & RawRepresentable<String> & Sendable {
    /// One of a few words; `synonyms` are words that people write for them by mistake.
    static func choice(_ type: Value.Type, synonyms: [String: Value] = [:]) -> Self {
        KeyKind(alternatives(Value.allCases.map(\.rawValue)), schema: ManifestSchema.choice(type)) {
            $0.choice(type, synonyms: synonyms)
        }
    }

    /// Returns words in Markdown: `` `"a"`, `"b"` or `"c"` ``.
    private static func alternatives(_ words: [String]) -> String {
        let quoted = words.map { "`\"\($0)\"`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}
