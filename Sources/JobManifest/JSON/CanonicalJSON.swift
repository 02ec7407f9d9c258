import Files

/// JSON in the form that is hashed and stored: keys sorted by their bytes, without spaces.
package indirect enum CanonicalJSON: Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([CanonicalJSON])
    case object([String: CanonicalJSON])
    /// JSON that is text already, which is written as it is.
    case written(String)

    /// The JSON text.
    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    /// Returns `text` in quotes as messages show it: shortened, without control characters.
    package static func quoted(_ text: String) -> String {
        let short = text.unicodeScalars.count > 80 ? String(text.unicodeScalars.prefix(80)) + "…" : text
        return CanonicalJSON.string(short).text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values): Self.writeArray(values, to: &text) { $0.write(to: &$1) }
        case .object(let members):
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            Self.writeObject(sorted, to: &text) { $0.write(to: &$1) }
        case .written(let json): text += json
        }
    }

    /// Writes an array whose elements `write` appends.
    static func writeArray<Element>(
        _ elements: [Element],
        to text: inout String,
        _ write: (Element, inout String) -> Void
    ) {
        text += "["
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            write(element, &text)
        }
        text += "]"
    }

    /// Writes an object whose values `write` appends, with its keys in the order given.
    static func writeObject<Element>(
        _ members: some Sequence<(key: String, value: Element)>,
        to text: inout String,
        _ write: (Element, inout String) -> Void
    ) {
        text += "{"
        for (index, member) in members.enumerated() {
            if index > 0 { text += "," }
            quote(member.key, to: &text)
            text += ":"
            write(member.value, &text)
        }
        text += "}"
    }

    /// Escapes the characters that RFC 8259 requires, and DEL, which terminals interpret.
    static func quote(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}":
                text += "\\u" + String(scalar.value, radix: 16).leftPadded(to: 4, with: "0")
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
