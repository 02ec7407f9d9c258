extension JSONValue {
    /// The value as JSON without spaces: numbers as they are written, keys in their order.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch kind {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let written): text += written
        case .string(let value): CanonicalJSON.quote(value, to: &text)
        case .array(let elements): CanonicalJSON.writeArray(elements, to: &text) { $0.write(to: &$1) }
        case .object(let members):
            let pairs = members.lazy.map { (key: $0.key, value: $0.value) }
            CanonicalJSON.writeObject(pairs, to: &text) { $0.write(to: &$1) }
        }
    }
}
