import JobStorage

/// A column of the items of a fleet, with the types of its values, from which the columns of shards are made.
struct PlannedColumn: StoredRecord, Equatable {
    /// The most columns of a plan.
    static let most = 100_000

    let name: String
    /// The sum of the types, as `ListColumn.Contents` has them.
    let contents: Int

    var bounds: [StoredBound] {
        [
            StoredBound("name", name, longest: StoredBound.longText),
            StoredBound("contents", contents, in: 0...63),
        ]
    }

    /// The columns in the order of their names.
    static func sorted(_ columns: [String: ListColumn.Contents]) -> [PlannedColumn] {
        columns.map { PlannedColumn(name: $0.key, contents: $0.value.rawValue) }.sorted {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
        }
    }

    /// The columns of several partitions as those of one; nil unless those of all are known.
    static func merged(_ parts: [[PlannedColumn]?]) -> [PlannedColumn]? {
        let known = parts.compactMap(\.self)
        guard !known.isEmpty, known.count == parts.count else { return nil }
        var columns: [String: ListColumn.Contents] = [:]
        for column in known.joined() {
            columns[column.name, default: []].formUnion(ListColumn.Contents(rawValue: column.contents))
        }
        return sorted(columns)
    }
}
