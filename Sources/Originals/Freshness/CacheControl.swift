import Foundation

/// The directives of the header field `Cache-Control` (RFC 9111, section 5.2).
///
/// Names are the same in any case, and an argument may be quoted or not. What is no directive is skipped; of a
/// directive that comes twice the first argument counts (section 4.2.1).
package struct CacheControl: Sendable {
    /// The scope of a directive that may name header fields.
    package enum Scope: Sendable, Hashable {
        /// The directive is not there.
        case nothing
        /// Header fields, in lower case.
        case fields(Set<String>)
        /// The whole response.
        case all
    }

    private var directives: [String: [String?]] = [:]

    /// Reads the value of the field; nil is a field that is not there.
    package init(_ value: String?) {
        var rest = Substring(value ?? "")
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" && $0 != "," }
            rest = rest.dropFirst(name.count)
            let argument = rest.first == "=" ? Self.takeArgument(from: &rest) : nil
            rest = rest.drop { $0 != "," }.dropFirst()
            let key = name.trimmingCharacters(in: .whitespaces).lowercased()
            if !key.isEmpty { directives[key, default: []].append(argument) }
        }
    }

    /// True if the directive is present, with an argument or without.
    package func contains(_ name: String) -> Bool {
        directives[name] != nil
    }

    /// The argument in seconds; nil if the directive is not there.
    ///
    /// An argument that is not a number of seconds counts as 0, because a response with unreadable freshness is best
    /// treated as stale (section 4.2.1). One that is too large counts as 2³¹ (section 1.2.2).
    package func seconds(_ name: String) -> Int? {
        guard let arguments = directives[name] else { return nil }
        return Self.deltaSeconds(arguments.first.flatMap { $0 } ?? "") ?? 0
    }

    /// Returns the scope of `no-cache` or `private`: without an argument, even once, the whole response.
    package func scope(_ name: String) -> Scope {
        guard let arguments = directives[name] else { return .nothing }
        var fields: Set<String> = []
        for argument in arguments {
            let names = (argument ?? "").split { $0 == "," || $0 == " " }.map { $0.lowercased() }
            guard !names.isEmpty else { return .all }
            fields.formUnion(names)
        }
        return .fields(fields)
    }

    /// True if a client accepts a response that has been stale for so many seconds (`max-stale`, section 5.2.1.2).
    package func accepts(staleness: Double) -> Bool {
        guard let arguments = directives["max-stale"] else { return false }
        guard let argument = arguments[0] else { return true }
        return staleness <= Double(Self.deltaSeconds(argument) ?? 0)
    }

    /// Reads a non-negative number of seconds; nil if it is none.
    static func deltaSeconds(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        let longest = 1 << 31
        return min(Int(text) ?? longest, longest)
    }

    private static func takeArgument(from rest: inout Substring) -> String {
        rest.removeFirst()
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != "," }
            rest = rest.dropFirst(token.count)
            // White space belongs to the list's comma; before the argument it belongs nowhere, and spoils it.
            return String(token.reversed().drop { $0 == " " || $0 == "\t" }.reversed())
        }
        rest.removeFirst()
        var text = ""
        while let character = rest.popFirst(), character != "\"" {
            if character == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
            } else {
                text.append(character)
            }
        }
        return text
    }
}
