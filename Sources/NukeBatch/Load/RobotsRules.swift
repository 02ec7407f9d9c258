import Foundation
import Transport

/// The rules of a robots.txt for one crawler (RFC 9309).
struct RobotsRules: Sendable, Equatable {
    /// The bytes that are read, as many as a crawler has to (section 2.5).
    private static let longest = 500 * 1024

    /// A pattern of paths, in which `*` stands for any octets and `$` at its end for the end of the path.
    private struct Rule: Equatable {
        let isAllowed: Bool
        let pattern: [UInt8]
        /// The pattern without escapes in its query.
        let plain: [UInt8]

        init(isAllowed: Bool, _ pattern: some Collection<UInt8>) {
            self.isAllowed = isAllowed
            self.pattern = RobotsRules.normalized(Array(pattern), isPattern: true)
            plain = RobotsRules.withoutEscapesInQuery(self.pattern)
        }
    }

    private let rules: [Rule]

    /// The rules of an origin without a robots.txt.
    static let none = RobotsRules(rules: [])

    private init(rules: [Rule]) {
        self.rules = rules
    }

    /// Reads the groups that name `agent`, in any case, or else those of `*`; lines that are no rules are passed over, and end no
    /// group (section 2.2.4).
    init(_ text: Data, for agent: String) {
        var groups: [String: [Rule]] = [:]
        var agents: [String] = []
        var isNaming = false
        for line in Self.whole(text).split(whereSeparator: Self.isLineEnd) {
            let content = line.prefix { $0 != UInt8(ascii: "#") }
            guard let colon = content.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let value = Self.trimmed(content[(colon + 1)...])
            switch String(decoding: Self.trimmed(content[..<colon]), as: UTF8.self).lowercased() {
            case "user-agent":
                // Lines that follow each other name the crawlers of one group.
                agents = (isNaming ? agents : []) + [Self.token(String(decoding: value, as: UTF8.self))]
                isNaming = true
                for agent in agents where groups[agent] == nil { groups[agent] = [] }
            case let word where word == "allow" || word == "disallow":
                isNaming = false
                // An empty rule matches nothing.
                guard !value.isEmpty else { continue }
                let rule = Rule(isAllowed: word == "allow", value)
                for agent in agents { groups[agent, default: []].append(rule) }
            default: break
            }
        }
        rules = groups[agent.lowercased()] ?? groups["*"] ?? []
    }

    /// Returns true if the crawler may ask for `path`, with its query: the longest matching rule decides, and of two as long the
    /// one that allows (section 2.2.2).
    func allows(_ path: String) -> Bool {
        guard !rules.isEmpty else { return true }
        let path = Self.normalized(Array((path.hasPrefix("/") ? path : "/" + path).utf8), isPattern: false)
        let plain = Self.withoutEscapesInQuery(path)
        let longest = rules.filter { rule in
            Self.matches(path[...], rule.pattern[...])
                || (plain != path || rule.plain != rule.pattern) && Self.matches(plain[...], rule.plain[...])
        }
        .max { ($0.pattern.count, $0.isAllowed ? 1 : 0) < ($1.pattern.count, $1.isAllowed ? 1 : 0) }
        return longest?.isAllowed ?? true
    }

    /// The product token of a `User-Agent`, in lower case: the letters, `_` and `-` that it begins with, or `*`.
    static func token(_ agent: String) -> String {
        agent == "*"
            ? agent
            : String(agent.lowercased().prefix { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") })
    }

    /// Returns the lines that are read; one that the limit cuts may say something else than its beginning.
    private static func whole(_ text: Data) -> Data {
        guard text.count > longest else { return text }
        let read = text.prefix(longest + 1)
        return read.lastIndex(where: isLineEnd).map { read[..<$0] } ?? Data()
    }

    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }

    /// Returns a part of a line without the spaces around it and without a byte order mark.
    private static func trimmed(_ part: Data) -> Data {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let rest = part.starts(with: mark) ? part.dropFirst(mark.count) : part
        guard let first = rest.firstIndex(where: { $0 > 0x20 }),
            let last = rest.lastIndex(where: { $0 > 0x20 })
        else { return Data() }
        return rest[first...last]
    }

    /// Returns a path with percent-encoding of what may not stand in one, and without that of unreserved characters (RFC 3986,
    /// section 2.3): equal paths have equal octets.
    ///
    /// `*`, and `$` at the end, stay as they are in a pattern alone, where `%2A` and `%24` are the characters themselves (section
    /// 2.2.3).
    private static func normalized(_ path: [UInt8], isPattern: Bool) -> [UInt8] {
        var octets: [UInt8] = []
        var rest = path[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                octets += PercentEncoding.encoded([UInt8(digits[0] << 4 | digits[1])]).utf8
                rest.removeFirst(2)
            } else if isPattern, byte == UInt8(ascii: "*") || byte == UInt8(ascii: "$") && rest.isEmpty {
                octets.append(byte)
            } else {
                octets += PercentEncoding.encoded([byte], keeping: "!&'()+,;=:@/?").utf8
            }
        }
        return octets
    }

    /// Returns octets in whose query `:`, `/`, `?` and `@` are never escaped: they mean the same there as their escapes (section
    /// 2.2.2), other than in a path.
    private static func withoutEscapesInQuery(_ octets: [UInt8]) -> [UInt8] {
        guard let mark = octets.firstIndex(of: UInt8(ascii: "?")) else { return octets }
        var query = String(decoding: octets[mark...], as: UTF8.self)
        for (escape, character) in [("%3A", ":"), ("%2F", "/"), ("%3F", "?"), ("%40", "@")] {
            query = query.replacing(escape, with: character)
        }
        return Array(octets[..<mark]) + query.utf8
    }

    /// Returns true if the pattern matches the beginning of the path.
    ///
    /// It goes back to the last `*` only, so that its time is the product of the lengths at most.
    private static func matches(_ path: ArraySlice<UInt8>, _ pattern: ArraySlice<UInt8>) -> Bool {
        var (at, rule) = (path.startIndex, pattern.startIndex)
        var retry: (path: Int, rule: Int)?
        while rule < pattern.endIndex {
            if pattern[rule] == UInt8(ascii: "*") {
                rule += 1
                retry = (at, rule)
            } else if pattern[rule] == UInt8(ascii: "$"), rule == pattern.endIndex - 1, at == path.endIndex {
                return true
            } else if at < path.endIndex, pattern[rule] == path[at] {
                (at, rule) = (at + 1, rule + 1)
            } else if let last = retry, last.path < path.endIndex {
                retry = (last.path + 1, last.rule)
                (at, rule) = (last.path + 1, last.rule)
            } else {
                return false
            }
        }
        return true
    }
}
