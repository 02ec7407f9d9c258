@testable import JobManifest

/// Texts of a value with their keys in any order, any space, and comments in any place.
enum Disorder {
    /// The keys of objects whose own keys are names that people choose, which have no order.
    private static let free: Set = ["headers", "hosts", "vars", "metadata", "tags"]

    /// Returns a text in JSON; `comment` makes the words of a comment, of which there are none without it.
    static func text(
        of value: JSONValue,
        commentedBy comment: (() -> String)?,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        // Without comments no line ends, which would keep values on lines of their own.
        func space() -> String {
            guard let comment else { return ["", " ", "\t"].randomElement(using: &generator) ?? "" }
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: return " // \(comment())\n"
            case 1: return "\n\n// \(comment())\n\n"
            case 2: return " /* \(comment()) */ "
            case 3: return "\n/* \(comment())\n   * more\n*/"
            case 4: return "\r\n /* \(comment())\r\n more */ // \(comment())\r\n"
            case 5...7: return "\n"
            case 8: return "\n \n\n"
            default: return ""
            }
        }
        func text(_ value: JSONValue, of key: String? = nil) -> String {
            switch value.kind {
            case .null: "null"
            case .bool(let value): "\(value)"
            case .number(let text): text
            case .string(let text): CanonicalJSON.string(text).text
            case .array(let elements): "[" + list(elements.map { text($0) }) + "]"
            case .object(let members):
                "{"
                    + list(
                        (key.map(free.contains) == true ? members : members.shuffled(using: &generator)).map {
                            member in
                            CanonicalJSON.string(member.key).text + space() + ":" + space()
                                + text(member.value, of: member.key)
                        }
                    ) + "}"
            }
        }
        func list(_ parts: [String]) -> String {
            var text = space()
            for (index, part) in parts.enumerated() {
                text += part + space()
                if index < parts.count - 1 || Bool.random(using: &generator) { text += "," + space() }
            }
            return text
        }
        return space() + text(value) + space()
    }

    /// Returns a text in YAML, of blocks except for what is empty; `comment` makes the words of a comment.
    static func blocks(
        of value: JSONValue,
        commentedBy comment: () -> String,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        func lead(_ indentation: String) -> String {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: "\(indentation)# \(comment())\n"
            case 1: "\n\(indentation)# \(comment())\n\n"
            case 2: "\n"
            default: ""
            }
        }
        func tail() -> String { Int.random(in: 0..<4, using: &generator) == 0 ? " # \(comment())\n" : "\n" }
        /// The text behind a key or a dash.
        func text(_ value: JSONValue, _ depth: Int, isBehindDash: Bool) -> String {
            let indentation = String(repeating: " ", count: 2 * depth)
            switch value.kind {
            case .null: return " null" + tail()
            case .bool(let value): return " \(value)" + tail()
            case .number(let text): return " \(text)" + tail()
            case .string(let text):
                let isFolded = text.allSatisfy { $0.isLetter } && Bool.random(using: &generator)
                return isFolded
                    ? " |-\n\(indentation)  \(text)\n" : " \(CanonicalJSON.string(text).text)" + tail()
            case .array(let elements):
                guard !elements.isEmpty else { return " []" + tail() }
                var result = tail()
                for element in elements {
                    result += lead(indentation) + "\(indentation)-"
                    result += text(element, depth + 1, isBehindDash: true)
                }
                return result
            case .object(let members):
                guard !members.isEmpty else { return " {}" + tail() }
                var result = isBehindDash ? " " : depth == 0 ? "" : tail()
                for (index, member) in members.shuffled(using: &generator).enumerated() {
                    if index > 0 || !isBehindDash { result += lead(indentation) + indentation }
                    result += CanonicalJSON.string(member.key).text + ":"
                    result += text(member.value, depth + 1, isBehindDash: false)
                }
                return result
            }
        }
        return text(value, 0, isBehindDash: false) + lead("")
    }
}
