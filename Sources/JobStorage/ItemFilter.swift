import Foundation
import SQLite

/// Which items a question or a change is about; what is left empty restricts nothing.
public struct ItemFilter: Hashable, Sendable {
    /// Their states.
    public var states: Set<ItemState>
    /// The names of their errors.
    public var errors: Set<String>
    /// Their URL: the whole of it, with `*` for any text; without a `*`, any part of it.
    public var url: String?

    /// All items, or those that fit each of what is given.
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

    var values: [Value] {
        [Self.json(states.map(\.rawValue)), Self.json(Array(errors)), Value(url.map(Self.pattern))]
    }

    /// Whether all states asked for are among those that the index `item_problem` holds.
    var concernsProblems: Bool {
        !states.isEmpty && states.isSubset(of: [.skipped, .failed, .quarantined])
    }

    private static func json(_ texts: [String]) -> Value {
        guard !texts.isEmpty, let data = try? JSONEncoder().encode(texts) else { return nil }
        return .text(String(decoding: data, as: UTF8.self))
    }

    /// SQLite's GLOB gives `?` and `[` a meaning that they do not have in a URL.
    private static func pattern(_ url: String) -> String {
        let escaped = url.replacingOccurrences(of: "[", with: "[[]").replacingOccurrences(
            of: "?",
            with: "[?]"
        )
        return escaped.contains("*") ? escaped : "*\(escaped)*"
    }
}

extension JobStore {
    /// Gives failed and quarantined items that fit `filter` a new set of attempts; how many they were.
    ///
    /// Other states in the filter have no effect; a filter without states means both.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func putBackFailed(_ filter: ItemFilter = ItemFilter()) throws(JobStoreError) -> Int {
        try writeNow { connection in
            let statement = try connection.statement(
                """
                UPDATE item SET \(Self.release), updated_ms = ?4
                WHERE item_id IN (SELECT item_id FROM item INDEXED BY item_problem WHERE \(Schema.isProblem)
                    AND state IN (\(ItemEvent.release.sources)) AND \(ItemFilter.condition))
                """
            )
            try statement.bind(filter.values + [.integer(Self.now)])
            while try statement.step() {}
            return connection.changes
        }
    }

    /// Puts failures that another try may mend (their errors' names) back to pending, as a run does when it starts.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func releaseRetryable(_ errors: Set<String>) throws(JobStoreError) -> Int {
        // No errors would restrict nothing and release everything.
        errors.isEmpty ? 0 : try putBackFailed(ItemFilter(states: [.failed], errors: errors))
    }

    /// Gives waiting items that fit `filter` another priority, from 0 (very low) to 4 (very high); how many they were.
    /// - Throws: `JobStoreError`.
    @discardableResult
    public func setPriority(_ priority: Int, for filter: ItemFilter) throws(JobStoreError) -> Int {
        let priority = max(0, min(4, priority))
        return try writeNow { connection in
            let statement = try connection.statement(
                """
                UPDATE item SET priority = ?4
                WHERE item_id IN (SELECT item_id FROM item INDEXED BY item_ready WHERE \(Schema.isReady)
                    AND priority <> ?4 AND \(ItemFilter.condition))
                """
            )
            try statement.bind(filter.values + [Value(priority)])
            while try statement.step() {}
            return connection.changes
        }
    }
}
