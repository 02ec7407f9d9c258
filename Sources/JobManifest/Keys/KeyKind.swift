/// A type of values: its name for people, its schema, its reader and its writer.
struct KeyKind<Value>: Sendable {
    /// The name of the type in Markdown, with its range, such as `integer, 1 to 1024`.
    let type: String
    let schema: CanonicalJSON
    /// Reads a node; returns nil after it has reported an error.
    let read: @Sendable (ManifestNode) -> Value?
    /// Returns the value as a program writes it.
    let write: @Sendable (Value) -> CanonicalJSON
    /// Returns the value as people write it, which the documentation shows.
    let show: @Sendable (Value) -> CanonicalJSON

    init(
        _ type: String,
        schema: CanonicalJSON,
        read: @escaping @Sendable (ManifestNode) -> Value?,
        write: @escaping @Sendable (Value) -> CanonicalJSON,
        show: (@Sendable (Value) -> CanonicalJSON)? = nil
    ) {
        self.type = type
        self.schema = schema
        self.read = read
        self.write = write
        self.show = show ?? write
    }

    /// Returns the value of a JSON text; nil if it has another type or is out of range.
    func value(of json: CanonicalJSON) -> Value? {
        let reading = ManifestReading(rowIn: "/", objectWithKey: { _ in nil })
        let value = read(ManifestNode(value: JSONValue(json), path: .top, reading: reading))
        return reading.issues.isEmpty ? value : nil
    }
}

extension JSONValue {
    /// A value without a place in a text.
    fileprivate init(_ json: CanonicalJSON) {
        let kind: Kind =
            switch json {
            case .null: .null
            case .bool(let value): .bool(value)
            case .integer(let value): .number(String(value))
            case .number(let value): .number(String(value))
            case .string(let text): .string(text)
            case .array(let elements): .array(elements.map(JSONValue.init))
            case .object(let members):
                .object(
                    members.sorted { $0.key < $1.key }.map { key, value in
                        JSONMember(key: key, offset: 0, value: JSONValue(value))
                    }
                )
            case .written(let json):
                // No key has such a value.
                .string(json)
            }
        self.init(kind: kind, offset: 0, end: 0)
    }
}
