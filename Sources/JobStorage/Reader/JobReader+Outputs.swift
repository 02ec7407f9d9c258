import Files
import Foundation
import SQLite

/// The number of outputs that a run of the planned manifest would make, keep and leave to `prune`.
public struct OutputCounts: Hashable, Sendable {
    /// Outputs of unfinished items that are not made yet.
    public var make = 0
    /// Outputs that are made or skipped.
    public var keep = 0
    /// Orphaned outputs and files of markup.
    public var prune = 0
}

extension JobReader {
    /// Counts outputs by what a run would do with them.
    /// - Throws: `JobStoreError`.
    public func outputCounts() throws(JobStoreError) -> OutputCounts {
        try read { connection in
            let unfinished = "i.listed = 1 AND i.state IN ('pending', 'running', 'retry')"
            let kept = """
                FROM output o JOIN item i USING (item_id)
                JOIN wanted w ON w.source = i.source AND w.name = o.name AND w.recipe_id = o.recipe_id
                WHERE i.listed = 1 AND o.state IN ('done', 'skipped')
                """
            // Without its hash, the original of an unfinished item is another one than that of its outputs.
            let isKnown = "i.original_sha256 IS NOT NULL"
            let asked = try Self.asked(connection, unfinished)
            let keptOfUnfinished = try connection.integer(
                """
                SELECT count(*) \(kept) AND \(unfinished) AND \(isKnown)
                    AND NOT EXISTS (SELECT 1 FROM collision c WHERE c.item_id = o.item_id AND c.name = o.name)
                """
            )
            let collisions = try connection.integer(
                "SELECT count(*) FROM collision c JOIN item i USING (item_id) WHERE \(unfinished)"
            )
            let keep = try connection.integer(
                "SELECT count(*) \(kept) AND (\(isKnown) OR NOT (\(unfinished)))"
            )
            let unwanted = try connection.integer("SELECT count(*) \(Self.unwanted)")
            let leftovers = try connection.integer("SELECT count(*) \(Self.unwantedLeftovers)")
            let markup = try connection.integer(
                "SELECT count(*) FROM markup WHERE pass < \(Self.lastMarkupPass)"
            )
            return OutputCounts(
                make: Int(asked - keptOfUnfinished - collisions),
                keep: Int(keep),
                prune: Int(unwanted + leftovers + markup)
            )
        }
    }

    /// Counts the outputs of unfinished items, without reading the items if every source has equally many outputs.
    private static func asked(_ connection: Connection, _ unfinished: String) throws -> Int64 {
        let sources: [Int64] = try connection.statement("SELECT count(*) FROM wanted GROUP BY source")
            .scalars()
        let last = try connection.integer("SELECT coalesce(max(source), -1) FROM wanted")
        if let each = sources.first, sources.count == Int(last) + 1, sources.allSatisfy({ $0 == each }) {
            return Int64(try counts(connection).unfinished) * each
        }
        return try connection.integer(
            "SELECT count(*) FROM item i JOIN wanted w ON w.source = i.source WHERE \(unfinished)"
        )
    }

    /// Copies the state at `path` to the new file `copy`; the copy is consistent even while a run writes the state.
    /// - Throws: `JobStoreError`.
    public static func copyState(at path: String, to copy: String) throws(JobStoreError) {
        do {
            // What is no state is told with its own path, not with that of the copy.
            let file = StateFile(path: path)
            try Presence.requireReadable(path)
            try file.refuseEmpty()
            let connection = try Connection(path: path, mode: .readOnly)
            try file.examine(connection)
            _ = try file.version(connection)
            try connection.execute("PRAGMA query_only=OFF")
            try connection.statement("VACUUM INTO ?").run(copy)
        } catch {
            throw JobStoreError(reading: error)
        }
    }
}
