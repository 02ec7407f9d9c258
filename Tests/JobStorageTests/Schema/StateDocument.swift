import Foundation
import SQLite

/// The reference of views and tables in `docs/state.md`, made from the comments that SQLite keeps with the schema.
struct StateDocument {
    private struct Entry {
        let name: String
        let isView: Bool
        let comment: String?
        let columns: [(name: String, type: String, comment: String?)]
    }

    private let entries: [Entry]

    /// Reads the schema of a state.
    init(_ connection: Connection) throws {
        let found = try connection.statement(
            """
            SELECT type, name, sql FROM sqlite_schema
            WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' ORDER BY type DESC, rowid
            """
        ).rows { ($0["type"] as String, $0["name"] as String, $0["sql"] as String) }
        let comments = Dictionary(
            uniqueKeysWithValues: found.map { type, name, sql in
                (name, Self.comments(sql, isView: type == "view"))
            }
        )
        entries = try found.map { type, name, sql in
            let sources = sql.matches(of: /(?:FROM|JOIN) (\w+)/).map { String($0.1) }
            let columns = try connection.statement("PRAGMA table_info(\(name))").rows { row in
                let column: String = row["name"]
                // A column of a view means the same as that of its table.
                let tables = [name] + (type == "view" ? sources : [])
                let comment = tables.lazy.compactMap { comments[$0]?[column] }.first
                return (column, row["type"] as String, comment)
            }
            let first = sql.prefix { $0 != "\n" }.firstRange(of: "--").map { range in
                sql[range.upperBound...].prefix { $0 != "\n" }.trimmingCharacters(in: .whitespaces)
            }
            return Entry(name: name, isView: type == "view", comment: first, columns: columns)
        }
    }

    /// The comments of a table's or view's columns.
    private static func comments(_ sql: String, isView: Bool) -> [String: String] {
        var comments: [String: String] = [:]
        // Columns that a later step added have their comments within them.
        for match in sql.matches(of: /(\w+) \/\* (.*?) \*\//) {
            comments[String(match.1)] = String(match.2)
        }
        let rest = sql.replacing(/\w+ \/\* .*? \*\//, with: "")
        var column: String?
        for line in rest.split(separator: "\n").dropFirst() {
            let parts = line.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
            let code = String(parts[0])
            if isView {
                let named =
                    code.matches(of: /\bAS (\w+)/).last?.1 ?? code.firstMatch(of: /\w\.(\w+),?\s*$/)?.1
                column = named.map(String.init) ?? column
            } else if let word = code.prefixMatch(of: /\s*(\w+) (?:INTEGER|TEXT|REAL)/)?.1 {
                column = String(word)
            }
            guard parts.count == 2, let column, comments[column] == nil else { continue }
            comments[column] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return comments
    }

    /// The views, tables and columns without a comment.
    var undescribed: [String] {
        entries.flatMap { entry in
            (entry.comment == nil ? [entry.name] : [])
                + entry.columns.filter { $0.comment == nil }.map { "\(entry.name).\($0.name)" }
        }
    }

    /// The text below the page's marker.
    var text: String {
        let views = entries.filter(\.isView).map(Self.text).joined()
        let tables = entries.filter { !$0.isView }.map(Self.text).joined()
        return "\n## Views\n\(views)\n## Tables\n\(tables)"
    }

    private static func text(_ entry: Entry) -> String {
        var lines = ["", "### \(entry.name)", "", sentence(entry.comment), ""]
        lines +=
            entry.isView
            ? ["| column | meaning |", "| --- | --- |"]
            : ["| column | type | meaning |", "| --- | --- | --- |"]
        for column in entry.columns {
            let type = entry.isView ? "" : "\(column.type) | "
            lines.append("| `\(column.name)` | \(type)\(column.comment ?? "") |")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func sentence(_ text: String?) -> String {
        guard let text, let first = text.first else { return "" }
        return first.uppercased() + text.dropFirst() + "."
    }
}
