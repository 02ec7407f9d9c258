import JobManifest

/// The meaning of each column of a CSV or TSV list, or of a query's result.
package struct RowColumns: Sendable {
    /// The number of columns.
    let count: Int
    private let url: Int
    private let id: Int?
    private let priority: Int?
    /// The columns that are path variables, in order.
    private let variables: [(name: String, column: Int)]

    /// The names of the path variables.
    var variableNames: [String] { variables.map(\.name) }

    /// Finds the columns that `meaning` names among `names`; columns without a name are skipped.
    ///
    /// - Throws: An error if two columns have the same name, or a required column is missing.
    init(_ names: [String], meaning columns: ItemList.Columns) throws(TextError) {
        count = names.count
        var columnOfName: [String: Int] = [:]
        for (index, name) in names.enumerated() where !name.isEmpty {
            guard columnOfName.updateValue(index, forKey: name) == nil else {
                throw TextError("two columns have the name \(CanonicalJSON.quoted(name)): rename one")
            }
        }
        for column in columns.required.union([columns.url]).sorted() where columnOfName[column] == nil {
            let found = columnOfName.keys.sorted().map { CanonicalJSON.quoted($0) }.joined(separator: ", ")
            throw TextError(
                "has no column \(CanonicalJSON.quoted(column)), only \(found): name the column in \"columns\""
            )
        }
        url = columnOfName.removeValue(forKey: columns.url) ?? 0
        id = columnOfName.removeValue(forKey: columns.id)
        priority = columnOfName.removeValue(forKey: columns.priority)
        variables = columnOfName.map { (name: $0.key, column: $0.value) }.sorted { $0.column < $1.column }
    }

    /// Returns the item of a row; `cell` returns its columns, `failed` makes an invalid row.
    func row<Problem: Error>(
        at position: PlannedItem.Position,
        _ context: RowContext,
        failed: (String) -> Row,
        cell: (Int) throws(Problem) -> RowCell
    ) throws(Problem) -> Row {
        var row = Row(url: context.check(try cell(url).scalar ?? ""), position: position)
        if let id, let text = try cell(id).scalar, !text.isEmpty { row.id = text }
        if let priority, let word = try cell(priority).scalar, !word.isEmpty {
            row.priority = ItemPriority(rawValue: word)
            if row.priority == nil {
                let hint = NearestName.hint(for: word, among: ItemPriority.allCases.map(\.rawValue))
                return failed("\(CanonicalJSON.quoted(word)) is not a priority\(hint)")
            }
        }
        for (name, column) in variables {
            let cell = try cell(column)
            row.variables[name] = cell.text
            if let json = cell.json { row.typedColumns[name] = json }
        }
        return row
    }
}
