import Foundation

/// One challenge of a `WWW-Authenticate` field: a scheme with its parameters (RFC 9110, section 11.3).
struct AuthenticationChallenge: Equatable {
    /// The scheme in lower case, such as `basic`.
    let scheme: String
    /// The parameters by their names in lower case, without quotes.
    private(set) var parameters: [String: String] = [:]

    init(scheme: String) {
        self.scheme = scheme
    }

    /// Returns the challenges of a field, which may be several fields joined with commas.
    static func challenges(in field: String) -> [AuthenticationChallenge] {
        var challenges: [AuthenticationChallenge] = []
        for element in elements(of: field) {
            let word = element.prefix { !" \t=".contains($0) }
            let rest = element.dropFirst(word.count).drop { " \t".contains($0) }
            if rest.first == "=" {
                guard !challenges.isEmpty else { continue }
                challenges[challenges.count - 1].add(String(word), value: rest.dropFirst())
            } else if !word.isEmpty {
                // The first parameter follows the scheme without a comma.
                var challenge = AuthenticationChallenge(scheme: word.lowercased())
                if let equals = rest.firstIndex(of: "=") {
                    challenge.add(String(rest[..<equals]), value: rest[rest.index(after: equals)...])
                }
                challenges.append(challenge)
            }
        }
        return challenges
    }

    /// Splits a field at the commas outside quoted strings (RFC 9110, section 5.6.1).
    private static func elements(of field: String) -> [String] {
        var elements = [""]
        var (isQuoted, isEscaped) = (false, false)
        for character in field {
            if character == ",", !isQuoted {
                elements.append("")
                continue
            }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\" && !isEscaped
            elements[elements.count - 1].append(character)
        }
        return elements.map { $0.trimmingCharacters(in: .whitespaces) }
    }

    private mutating func add(_ name: String, value: Substring) {
        let name = name.trimmingCharacters(in: .whitespaces).lowercased()
        parameters[name] = Self.unquoted(value.trimmingCharacters(in: .whitespaces))
    }

    private static func unquoted(_ value: String) -> String {
        guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                text.append(character)
                isEscaped = false
            }
        }
        return text
    }
}
