import Foundation
import SQLite

/// The failed and quarantined items of a job that no finished run has reported.
public struct NewFailures: Sendable {
    /// The number of items by error name.
    public var errors: [String: Int] = [:]
    /// The first of them, in the manifest's order.
    public var first: [ItemRecord] = []

    /// No items.
    public init() {}

    /// The number of items.
    public var count: Int { errors.values.reduce(0, +) }
}

extension JobReader {
    /// Returns the failures that no finished run has reported, with the first `limit` items.
    /// - Throws: `JobStoreError`.
    public func newFailures(limit: Int = 0) throws(JobStoreError) -> NewFailures {
        try read { connection in
            var failures = NewFailures()
            guard try Self.revision(connection) != nil else { return failures }
            let rows = try connection.statement(
                "SELECT error, count(*) FROM \(Schema.newFailures) GROUP BY error"
            ).rows { ($0.text(0), Int($0.integer(1))) }
            failures.errors = Dictionary(rows) { $1 }
            guard limit > 0, !rows.isEmpty else { return failures }
            failures.first = try connection.statement(
                "SELECT \(ItemRecord.columns) FROM \(Schema.newFailures) ORDER BY ordinal, item_id LIMIT ?"
            ).rows(Value(limit)) { ItemRecord($0) }
            return failures
        }
    }
}

extension JobStore {
    /// Records that every present failure was reported: until the item is done, skipped or no longer listed, its failures
    /// are not new.
    /// - Throws: `JobStoreError`.
    public func markFailuresReported() throws(JobStoreError) {
        try writeNow { connection in
            try connection.execute(
                """
                UPDATE item SET reported = 1
                WHERE item_id IN (SELECT item_id FROM \(Schema.newFailures))
                """
            )
        }
    }
}

/// Warnings that runs have reported: they are news once, as failures are.
extension JobStore {
    /// Replaces the warnings that were reported; one that is not among them any more is news when it comes back.
    /// - Throws: `JobStoreError`.
    public func noteReported(warnings: [String]) throws(JobStoreError) {
        guard try reader.reportedWarnings() != Set(warnings) else { return }
        let text = try? JSONEncoder().encode(warnings)
        try note(JobReader.reported, String(decoding: text ?? Data("[]".utf8), as: UTF8.self))
    }
}

extension JobReader {
    /// The name of the note with these warnings, a JSON array.
    fileprivate static let reported = "reported warnings"

    /// Returns the warnings that were reported.
    /// - Throws: `JobStoreError`.
    public func reportedWarnings() throws(JobStoreError) -> Set<String> {
        let text = try note(Self.reported) ?? "[]"
        return Set((try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? [])
    }
}

extension Schema {
    /// The items that failed without a report, for `FROM`.
    fileprivate static let newFailures =
        "item INDEXED BY item_problem WHERE \(isProblem) AND state <> 'skipped' AND reported = 0"
}
