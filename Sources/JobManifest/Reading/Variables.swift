import Files

/// The environment variables that a manifest's own text names as `${NAME}`; `$${` stands for `${` itself.
///
/// Only those named are kept, in memory alone: what is stored of an item is its text as written.
public struct Variables: Sendable {
    /// The value that stands for a secret.
    package static let withheld = "withheld"

    private var environment: [String: String]
    private var named: [String: String] = [:]
    /// The names that stand elsewhere than in headers and credentials.
    private var shown: Set<String> = []

    package init(environment: [String: String]) {
        self.environment = environment
    }

    /// The user's home folder while the manifest is read, if the environment names one.
    package var home: String? { environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// Returns true if `text` holds anything to expand.
    package static func occur(in text: String) -> Bool {
        // Nearly no text does, and to look for a byte is much quicker.
        text.containsASCII("$") && text.utf8.firstRange(of: "${".utf8) != nil
    }

    /// A text of a list's row, in which nothing is ever expanded, written so that `expanded` gives it back.
    package static func escaped(_ text: String) -> String {
        guard occur(in: text) else { return text }
        var result = ""
        var rest = Substring(text)
        while let start = rest.utf8.firstRange(of: "${".utf8) {
            result += rest[..<start.lowerBound] + "$${"
            rest = rest[start.upperBound...]
        }
        return result + rest
    }

    /// Returns a stored text with `$${` as `${`, and with the names of variables in place of their values.
    package static func unescaped(_ text: String) -> String {
        guard occur(in: text) else { return text }
        let unescaped = try? replace(in: text) { name throws(TextError) in "${\(name)}" }
        return unescaped ?? text
    }

    /// Expands `text`, and keeps the values of the variables that it names; a secret text is a header or a part of credentials.
    /// - Throws: An error for a variable that is not set, or a `${` without an end.
    mutating func expand(_ text: String, isSecret: Bool = false) throws(TextError) -> String {
        try Self.replace(in: text) { name throws(TextError) in
            guard let value = environment[name] else {
                throw TextError(
                    "the environment variable \(name) is not set: set it, or write $${ for a literal ${"
                )
            }
            named[name] = value
            if !isSecret { shown.insert(name) }
            return value
        }
    }

    /// Expands a text that `expand` has accepted before; unknown variables stay unchanged.
    public func expanded(_ text: String) -> String {
        guard Self.occur(in: text) else { return text }
        let expanded = try? Self.replace(in: text) { name throws(TextError) in
            named[name] ?? "${\(name)}"
        }
        return expanded ?? text
    }

    /// The values of all variables that a text names which `expand` has accepted before, by name.
    package var all: [String: String] { named }

    /// The variables with which the manifest can be read again where it loads nothing, by name: values that only headers and
    /// credentials name are replaced.
    package var withoutSecrets: [String: String] {
        named.reduce(into: [:]) { $0[$1.key] = shown.contains($1.key) ? $1.value : Self.withheld }
    }

    /// Forgets every variable that no text has named.
    mutating func forgetUnused() {
        environment = [:]
    }

    private static func replace(
        in text: String,
        with value: (String) throws(TextError) -> String
    ) throws(TextError) -> String {
        var result = ""
        var rest = Substring(text)
        while let start = rest.utf8.firstRange(of: "${".utf8) {
            let before = rest[..<start.lowerBound]
            if before.utf8.last == UInt8(ascii: "$") {
                result += String(before.unicodeScalars.dropLast()) + "${"
                rest = rest[start.upperBound...]
                continue
            }
            result += before
            rest = rest[start.upperBound...]
            guard let end = rest.unicodeScalars.firstIndex(of: "}"), isName(rest[..<end]) else {
                throw TextError(
                    "after ${ the name of an environment variable and } should follow; a literal ${ is $${"
                )
            }
            result += try value(String(rest[..<end]))
            rest = rest.rest(after: end)
        }
        return result + rest
    }

    private static func isName(_ name: Substring) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
            default: false
            }
        }
    }
}
