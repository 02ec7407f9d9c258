import JobManifest

/// Makes the items of one source of its rows and its own values.
struct ItemBuilder: Sendable {
    private let source: Source
    /// The index of the source in the manifest, from 0.
    private let number: Int
    /// The path variables that outputs need from every item.
    private let required: [String]
    /// The names of originals that outputs need as text.
    private let names: (folders: Bool, stem: Bool)

    init(_ source: Source, number: Int, required: [String], names: (folders: Bool, stem: Bool)) {
        self.names = names
        self.source = source
        self.number = number
        self.required = required
    }

    /// Returns the item of a row, which is at position `index` of the manifest.
    func item(_ row: Row, index: Int) -> PlannedItem {
        var variables =
            source.variables.isEmpty
            ? row.variables : source.variables.merging(row.variables) { _, own in own }
        var problem = row.url.problem
        if problem == nil, let missing = required.first(where: { variables[$0] == nil }) {
            problem = ItemProblem(
                code: .badURL,
                message: "the row has no \"\(missing)\", which an output's path uses: add it"
            )
        }
        problem =
            problem
            ?? ItemURL.problemOfNames(
                in: row.url.url,
                below: source.base,
                folders: names.folders,
                stem: names.stem
            )
        var typed = row.typedColumns
        // A null gives way to a variable of the source, and is none itself.
        for (name, json) in row.typedColumns where json == "null" {
            variables[name] = source.variables[name]
            if variables[name] != nil { typed[name] = nil }
        }
        return PlannedItem(
            index: index,
            url: row.url.url,
            target: row.target ?? row.url.url,
            id: row.id,
            headers: headers(of: row),
            priority: row.priority ?? source.priority,
            variables: variables,
            typedColumns: typed,
            source: number,
            problem: problem,
            validator: row.validator,
            base: source.base,
            position: row.position
        )
    }

    /// The source's headers, overridden by the row's own; the case of names does not matter.
    private func headers(of row: Row) -> [String: String] {
        if row.headers.isEmpty { return source.headers }
        if source.headers.isEmpty { return row.headers }
        let own = Set(row.headers.keys.map { $0.lowercased() })
        return source.headers.filter { !own.contains($0.key.lowercased()) }.merging(row.headers) { _, own in
            own
        }
    }
}
