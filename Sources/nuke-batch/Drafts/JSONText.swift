import JobManifest

/// JSON for people: members in their order, with comments; a value stands on one line if it fits.
indirect enum JSONText: Sendable {
    /// A member of an object, with the comment on the line before it.
    struct Member: Sendable {
        let name: String
        let value: JSONText
        var comment: String?

        init(_ name: String, _ value: JSONText, comment: String? = nil) {
            (self.name, self.value, self.comment) = (name, value, comment)
        }
    }

    /// The longest line with more than one value.
    private static let width = 100

    case text(String)
    case number(Int)
    case flag(Bool)
    case list([JSONText])
    case object([Member])

    /// The JSON over as many lines as it needs, without a line end.
    var lines: String { lines(after: 0, indent: "") }

    /// Returns the JSON for a line that has `column` characters before it.
    private func lines(after column: Int, indent: String) -> String {
        if let line, column + line.unicodeScalars.count <= Self.width { return line }
        let inner = indent + "  "
        switch self {
        case .list(let values) where !values.isEmpty:
            let lines = values.map { inner + $0.lines(after: inner.count, indent: inner) }
            return "[\n\(lines.joined(separator: ",\n"))\n\(indent)]"
        case .object(let members) where !members.isEmpty:
            let lines = members.map { member in
                let comment = member.comment.map { "\(inner)// \($0)\n" } ?? ""
                let start = "\(inner)\(Self.quoted(member.name)): "
                return comment + start + member.value.lines(after: start.count, indent: inner)
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        default: return line ?? ""
        }
    }

    /// The JSON on one line; nil with a comment in it.
    private var line: String? {
        switch self {
        case .text(let text): return Self.quoted(text)
        case .number(let number): return String(number)
        case .flag(let flag): return String(flag)
        case .list(let values):
            let lines = values.compactMap(\.line)
            return lines.count == values.count ? "[\(lines.joined(separator: ", "))]" : nil
        case .object(let members):
            let lines = members.compactMap { member in
                member.comment == nil ? member.value.line.map { "\(Self.quoted(member.name)): \($0)" } : nil
            }
            return lines.count == members.count ? "{\(lines.joined(separator: ", "))}" : nil
        }
    }

    private static func quoted(_ text: String) -> String { CanonicalJSON.string(text).text }

    /// Returns a text of a manifest in which nothing is a variable.
    static func literal(_ text: String) -> JSONText { .text(Variables.escaped(text)) }
}

extension JSONText: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }

    init(integerLiteral number: Int) { self = .number(number) }

    init(booleanLiteral flag: Bool) { self = .flag(flag) }

    init(arrayLiteral values: JSONText...) { self = .list(values) }

    init(dictionaryLiteral members: (String, JSONText)...) {
        self = .object(members.map { Member($0, $1) })
    }
}
