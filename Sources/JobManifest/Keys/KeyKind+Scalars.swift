import Imaging

extension KeyKind where Value == String {
    /// Text as written.
    static var string: Self { text { $0.string() } }

    /// Text that may hold `${NAME}`, with its variables expanded.
    static var expanded: Self { text { $0.expandedString() } }

    /// A file or folder, whose relative path starts from the manifest's folder; variables are expanded.
    static var path: Self {
        text { node in node.expandedString().map { FilePath.absolute($0, in: node.reading.folder) } }
    }

    /// Text for a header of a request, with its variables expanded.
    static var headerText: Self { text { $0.headerText() } }

    /// Text of at least one character; the reader of the section reports an empty one.
    static var filled: Self { text(schema: ["type": "string", "minLength": 1]) { $0.string() } }

    /// Text of one character; the reader of the section reports others.
    static var character: Self {
        text("character", schema: ["type": "string", "minLength": 1, "maxLength": 1]) { $0.string() }
    }

    /// Text, or a number as written.
    static var scalar: Self { text("string or number", schema: JSONSchema.scalar) { $0.text() } }

    /// Text of a form of its own.
    static func text(
        _ type: String = "string",
        schema: CanonicalJSON = JSONSchema.string,
        read: @escaping @Sendable (ManifestNode) -> String?
    ) -> Self {
        KeyKind(type, schema: schema, read: read, write: CanonicalJSON.string)
    }
}

extension KeyKind where Value == Bool {
    static var bool: Self {
        KeyKind("boolean", schema: JSONSchema.bool, read: { $0.bool() }, write: CanonicalJSON.bool)
    }
}

extension KeyKind where Value == Int {
    /// A whole number within `range`.
    static func integer(_ range: ClosedRange<Int>) -> Self {
        number(
            "integer, \(range.lowerBound) to \(range.upperBound)",
            schema: JSONSchema.integer(range)
        ) { $0.integer(range) }
    }

    /// A whole number of which this release takes one alone; the reader of the section refuses others within `range`.
    static func only(_ value: Int, of range: ClosedRange<Int>) -> Self {
        number("`\(value)`", schema: ["const": .integer(value)]) { $0.integer(range) }
    }

    static var size: Self {
        number("size", schema: JSONSchema.size, show: CanonicalJSON.size) { $0.size() }
    }

    static var pixels: Self {
        number("pixel count", schema: JSONSchema.pixels, show: CanonicalJSON.pixels) { $0.pixels() }
    }

    /// A whole number of a form of its own.
    static func number(
        _ type: String,
        schema: CanonicalJSON,
        show: (@Sendable (Int) -> CanonicalJSON)? = nil,
        read: @escaping @Sendable (ManifestNode) -> Int?
    ) -> Self {
        KeyKind(type, schema: schema, read: read, write: CanonicalJSON.integer, show: show)
    }
}

extension KeyKind where Value == Double {
    /// A number within `range`.
    static func number(_ range: ClosedRange<Double>) -> Self {
        KeyKind(
            "number, \(CanonicalJSON.plain(range.lowerBound).text) to \(CanonicalJSON.plain(range.upperBound).text)",
            schema: JSONSchema.number(range),
            read: { $0.number(range) },
            write: CanonicalJSON.number,
            show: CanonicalJSON.plain
        )
    }
}

extension KeyKind where Value == Duration {
    static var duration: Self {
        KeyKind(
            "duration",
            schema: JSONSchema.duration,
            read: { $0.duration() },
            write: CanonicalJSON.duration,
            show: { .string(CanonicalJSON.shown($0)) }
        )
    }
}

extension KeyKind where Value == ClosedRange<Duration> {
    static var durations: Self {
        KeyKind("duration range", schema: JSONSchema.durations) {
            $0.durations()
        } write: {
            .durations($0)
        } show: {
            .string("\(CanonicalJSON.shown($0.lowerBound))..\(CanonicalJSON.shown($0.upperBound))")
        }
    }
}

extension KeyKind where Value == Rate {
    static var rate: Self {
        KeyKind("rate", schema: JSONSchema.rate, read: { $0.rate() }, write: CanonicalJSON.rate)
    }
}

extension KeyKind where Value == Color {
    static var color: Self {
        KeyKind("colour", schema: JSONSchema.color, read: { $0.color() }, write: { .string($0.hexadecimal) })
    }
}

extension KeyKind where Value == RGBColor {
    static var opaqueColor: Self {
        KeyKind("opaque colour", schema: JSONSchema.opaqueColor) {
            $0.opaqueColor()
        } write: {
            .string(Color(red: $0.red, green: $0.green, blue: $0.blue).hexadecimal)
        } show: {
            let color = Color(red: $0.red, green: $0.green, blue: $0.blue)
            return .string(color.hexadecimal.dropLast(2).uppercased())
        }
    }
}

extension KeyKind where Value: CaseIterable & RawRepresentable<String> & Sendable {
    /// One of a few words; `synonyms` are words that people write for them by mistake.
    static func choice(_ type: Value.Type, synonyms: [String: Value] = [:]) -> Self {
        KeyKind(alternatives(Value.allCases.map(\.rawValue)), schema: JSONSchema.choice(type)) {
            $0.choice(type, synonyms: synonyms)
        } write: {
            .word($0)
        }
    }

    /// Returns words in Markdown: `` `"a"`, `"b"` or `"c"` ``.
    private static func alternatives(_ words: [String]) -> String {
        let quoted = words.map { "`\"\($0)\"`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}
