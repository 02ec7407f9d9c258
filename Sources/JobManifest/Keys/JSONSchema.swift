/// The parts of a JSON Schema (draft 2020-12): the types of values, and rules between keys.
enum JSONSchema {
    static let string: CanonicalJSON = ["type": "string"]
    static let bool: CanonicalJSON = ["type": "boolean"]
    /// Text, or a number as written.
    static let scalar: CanonicalJSON = ["type": ["string", "number"]]

    static let duration = pattern("0*[1-9][0-9]*(ms|s|m|h|d)")
    static let durations = pattern("[0-9]+(ms|s|m|h|d)\\.\\.[0-9]+(ms|s|m|h|d)")
    static let rate = pattern("0*[1-9][0-9]*/(s|m|h)")
    static let size = quantity("(KB|kB|MB|GB|TB|KiB|MiB|GiB|TiB)?")
    static let pixels = quantity("(MP)?")
    static let color = pattern("#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})")
    static let opaqueColor = pattern("#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{6}[Ff]{2})")

    /// Header fields, named by tokens (RFC 9110, section 5.6.2).
    static let headers: CanonicalJSON = [
        "type": "object",
        "propertyNames": pattern("[!#$%&'*+.^_`|~0-9A-Za-z-]+"),
        "additionalProperties": pattern("[^\\u0000-\\u0008\\u000A-\\u001F\\u007F]*"),
    ]

    static func integer(_ range: ClosedRange<Int>) -> CanonicalJSON {
        ["type": "integer", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    }

    static func number(_ range: ClosedRange<Double>) -> CanonicalJSON {
        ["type": "number", "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)]
    }

    static func pattern(_ expression: String) -> CanonicalJSON {
        ["type": "string", "pattern": .string("^\(expression)$")]
    }

    private static func quantity(_ unit: String) -> CanonicalJSON {
        ["anyOf": [["type": "integer", "minimum": 1], pattern("0*[1-9][0-9]*\(unit)")]]
    }

    static func list(of items: CanonicalJSON) -> CanonicalJSON {
        ["type": "array", "items": items]
    }

    static func words(_ words: some Collection<String>) -> CanonicalJSON {
        ["enum": .array(words.sorted().map(CanonicalJSON.string))]
    }

    /// One of the words that the reader takes.
    static func choice<T>(_ type: T.Type) -> CanonicalJSON
    where T: CaseIterable & RawRepresentable, T.RawValue == String {
        words(T.allCases.map(\.rawValue))
    }

    static func section(_ section: ManifestSection) -> CanonicalJSON {
        ["$ref": .string("#/$defs/\(section.name)")]
    }

    /// The rule that at least one of `keys` is required.
    static func anyRequired(_ keys: [String]) -> CanonicalJSON {
        .array(keys.map { ["required": [.string($0)]] })
    }

    static func any(_ schemas: CanonicalJSON...) -> CanonicalJSON {
        ["anyOf": .array(schemas)]
    }
}
