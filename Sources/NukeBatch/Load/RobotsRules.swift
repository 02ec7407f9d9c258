import Foundation
import Transport

/// The rules of a robots.txt for one crawler (RFC 9309).
struct RobotsRules: Sendable, Equatable {
    /// The bytes that are read, as many as a crawler has to (section 2.5).
    private static let longest = 500 * 1024

    /// A pattern of paths, which may have `*` for any octets and `$` at its end for the end of the path.
    private struct Rule: Equatable {
        let isAllowed: Bool
        let pattern: [UInt8]
    }

    private let rules: [Rule]

    /// The rules of an origin without a robots.txt.
    static let none = RobotsRules(rules: [])

    private init(rules: [Rule]) {
        self.rules = rules
    }

    /// Reads the groups that name `agent`, in any case, or else those of `*`; lines that are no rules are passed over.
    init(_ text: Data, for agent: String) {
        var groups: [String: [Rule]] = [:]
        var agents: [String] = []
        var isNaming = false
        for line in text.prefix(Self.longest).split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let content = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
            let parts = content.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"])) }
            guard parts.count == 2 else { continue }
            switch parts[0].lowercased() {
            case "user-agent":
                // Lines that follow each other name the crawlers of one group.
                agents = (isNaming ? agents : []) + [Self.token(parts[1])]
                isNaming = true
                for agent in agents where groups[agent] == nil { groups[agent] = [] }
            case let word where word == "allow" || word == "disallow":
                isNaming = false
                // An empty rule matches nothing.
                guard !parts[1].isEmpty else { continue }
                let rule = Rule(isAllowed: word == "allow", pattern: Self.normalized(parts[1]))
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
        let path = Self.normalized(path.isEmpty ? "/" : path)
        let longest = rules.filter { Self.matches(path[...], $0.pattern[...]) }
            .max { ($0.pattern.count, $0.isAllowed ? 1 : 0) < ($1.pattern.count, $1.isAllowed ? 1 : 0) }
        return longest?.isAllowed ?? true
    }

    /// The product token of a `User-Agent`, in lower case: the letters, `_` and `-` that it begins with, or `*`.
    static func token(_ agent: String) -> String {
        agent == "*"
            ? agent
            : String(agent.lowercased().prefix { $0.isASCII && ($0.isLetter || $0 == "_" || $0 == "-") })
    }

    /// Returns a path with percent-encoding of everything but ASCII, and without that of unreserved characters (RFC 3986,
    /// section 2.3): equal paths have equal octets.
    private static func normalized(_ path: String) -> [UInt8] {
        var octets: [UInt8] = []
        var rest = Array(path.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                octets += PercentEncoding.encoded([UInt8(digits[0] << 4 | digits[1])]).utf8
                rest.removeFirst(2)
            } else {
                octets += byte < 0x80 ? [byte] : Array(PercentEncoding.encoded([byte]).utf8)
            }
        }
        return octets
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
