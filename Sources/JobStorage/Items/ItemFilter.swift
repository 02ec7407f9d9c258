import Foundation
import SQLite

/// A selection of items; an empty criterion restricts nothing.
public struct ItemFilter: Hashable, Sendable {
    /// Their states.
    public var states: Set<ItemState>
    /// The names of their errors.
    public var errors: Set<String>
    /// Their URL: the whole of it, with `*` for any text; without a `*`, any part of it.
    public var url: String?

    /// Selects the items that meet every criterion given.
    public init(states: Set<ItemState> = [], errors: Set<String> = [], url: String? = nil) {
        self.states = states
        self.errors = errors
        self.url = url
    }

    /// The condition for the parameters ?1 to ?3, which `values` fills.
    static let condition = """
        (?1 IS NULL OR state IN (SELECT value FROM json_each(?1))) \
        AND (?2 IS NULL OR error IN (SELECT value FROM json_each(?2))) AND (?3 IS NULL OR url GLOB ?3)
        """

    var values: [any StoredValue] {
        [
            states.isEmpty ? Value.null : .json(states.map(\.rawValue)),
            errors.isEmpty ? Value.null : .json(Array(errors)), url.map(Self.pattern),
        ]
    }

    /// True if the index `item_problem` holds all selected states.
    var concernsProblems: Bool {
        !states.isEmpty && states.isSubset(of: [.skipped, .failed, .quarantined])
    }

    /// Escapes the characters `?` and `[`, which have a meaning in SQLite's GLOB but none in a URL.
    private static func pattern(_ url: String) -> String {
        let escaped = url.replacingOccurrences(of: "[", with: "[[]").replacingOccurrences(
            of: "?",
            with: "[?]"
        )
        return escaped.contains("*") ? escaped : "*\(escaped)*"
    }
}

extension Value {
    /// The texts as a JSON array, for `json_each` of a statement.
    static func json(_ texts: [String]) -> Value {
        // Texts can always be encoded.
        .text((try? JSONEncoder().encode(texts)).map { String(decoding: $0, as: UTF8.self) } ?? "[]")
    }
}
