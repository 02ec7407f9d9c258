/// The columns of a list that a manifest uses, which are all that a reader of columns needs to read.
package struct UsedColumns: Sendable, Equatable {
    /// The columns without which an item cannot be made.
    package var required: Set<String>
    /// The columns that are used where they exist.
    package var optional: Set<String>

    /// Names the columns.
    package init(required: Set<String>, optional: Set<String>) {
        (self.required, self.optional) = (required, optional)
    }
}

extension Manifest {
    /// Returns the columns of a list that the manifest uses; nil for all of them, which a dataset records.
    package func usedColumns(of source: Source) -> UsedColumns? {
        guard case .list(let list) = source.kind, dataset?.index == nil, dataset?.pack == nil else {
            return nil
        }
        let columns = list.columns
        let ofPaths = Set(outputs.flatMap(\.path.columns) + markups.flatMap(\.columns))
        let known = Set(source.variables.keys)
        var used = UsedColumns(
            required: ofPaths.subtracting(known).union(columns.required).union([columns.url]),
            optional: ofPaths.union([columns.id, columns.priority]).union(markups.map(\.altColumn))
        )
        // A column of this name is preferred to the output's name.
        let paths = outputs.map(\.path) + markups.compactMap(\.snippets)
        if paths.contains(where: \.yieldsToColumn) { used.optional.insert("name") }
        used.optional.subtract(used.required)
        return used
    }

    /// The names of originals that the paths of files need as text.
    package var neededNames: (folders: Bool, stem: Bool) {
        guard dataset?.pack == nil else { return (false, false) }
        let paths = outputs.map(\.path) + markups.compactMap(\.snippets)
        return (paths.contains(where: \.needsFolders), paths.contains(where: \.needsStem))
    }
}
