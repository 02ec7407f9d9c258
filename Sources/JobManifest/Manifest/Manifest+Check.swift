/// Checks across several parts of a manifest, and of the files that it names.
extension Manifest {
    /// A source with what its outputs may call it by.
    struct CheckedSource {
        let source: Source
        /// The manifest's name for it: `sources[0]`.
        let location: String
        /// The path variables that all its items have; nil if only its rows can tell.
        let variables: Set<String>?

        /// Returns true if an item of it may have the path variable `name`.
        func mayHave(_ name: String) -> Bool {
            if variables?.contains(name) ?? true { return true }
            guard case .urls(let entries) = source.kind else { return false }
            return entries.contains { $0.variables[name] != nil }
        }
    }

    /// Reads all sources, and looks for their lists, columns and folders.
    static func sources(_ node: ManifestNode?, inspector: any SourceInspecting) -> [CheckedSource] {
        guard let node, let elements = node.elements() else { return [] }
        if elements.isEmpty { node.report("is empty: add at least one source") }
        var checked: [CheckedSource] = []
        var readsStandardInput = false
        for element in elements {
            guard let source = Source(element) else { continue }
            if case .list(let list) = source.kind, list.isStandardInput {
                if element.reading.shared.readsStandardInput {
                    element.report("the manifest itself is standard input: write the list to a file")
                } else if readsStandardInput {
                    element.report("standard input can be read by one source only")
                }
                readsStandardInput = true
            }
            checked.append(
                CheckedSource(
                    source: source,
                    location: element.path.description,
                    variables: knownVariables(of: source, at: element, inspector: inspector)
                )
            )
        }
        return checked
    }

    /// The path variables that all items of a source have; nil if only its rows can tell.
    private static func knownVariables(
        of source: Source,
        at node: ManifestNode,
        inspector: any SourceInspecting
    ) -> Set<String>? {
        do {
            switch source.kind {
            case .urls, .files, .objects, .template, .sitemap:
                _ = try inspector.columns(of: source)
                return source.knownVariables(columns: nil)
            case .list, .sqlite:
                return source.knownVariables(columns: try inspector.columns(of: source))
            }
        } catch {
            node.report(error.description)
            return nil
        }
    }

    /// Reports every path variable of an output and its markup that the items of some source do not have, and an `alt`
    /// that none has.
    static func checkVariables(of entries: [CheckedOutputs], sources: [CheckedSource]) {
        for entry in entries {
            checkVariables(of: entry.path, at: entry.pathNode, sources: sources)
            guard let (markup, node) = entry.markup else { continue }
            if case .snippets(let path) = markup.file { checkVariables(of: path, at: node, sources: sources) }
            guard markup.altColumn != MarkupKeys.alt.standard else { continue }
            checkColumn(markup.altColumn, at: node, as: " of \"alt\"", sources: sources)
        }
    }

    /// Reports a column that no source has; `use` says for what it is used.
    static func checkColumn(
        _ column: String,
        at node: ManifestNode,
        as use: String = "",
        sources: [CheckedSource]
    ) {
        guard !sources.isEmpty, !sources.contains(where: { $0.mayHave(column) }) else { return }
        let known = sources.reduce(into: Set<String>()) { $0.formUnion($1.variables ?? []) }
        let hint = NearestName.hint(for: column, among: known)
        node.report("no source has the column or variable \(CanonicalJSON.quoted(column))\(use)\(hint)")
    }

    private static func checkVariables(of path: OutputPath, at node: ManifestNode, sources: [CheckedSource]) {
        for (name, source) in path.columns.flatMap({ name in sources.map { (name, $0) } }) {
            guard let known = source.variables, !known.contains(name) else { continue }
            let all = known.union(OutputPath.builtInNames)
            let hint = NearestName.hint(for: name, among: all)
            let remedy = hint.isEmpty ? "; known are \(all.sorted().joined(separator: ", "))" : hint
            node.report("unknown variable {\(name)} for the items of \(source.location)\(remedy)")
        }
    }

    /// Returns a warning if the `{name}` of an output is a column or variable of some source.
    static func warnings(of entries: [CheckedOutputs], sources: [CheckedSource]) -> [String] {
        let yielding = entries.filter(\.path.yieldsToColumn).map { "\($0.pathNode.path)" }
        let named = sources.filter { $0.variables?.contains("name") == true }.map(\.location)
        guard !yielding.isEmpty, !named.isEmpty else { return [] }
        return [
            "\(list(yielding)): {name} is the column or variable of \(list(named)): "
                + "write {output} for the output's name"
        ]
    }

    /// The first three of `places`, which can be many thousands, and the number of the others.
    private static func list(_ places: [String]) -> String {
        let others = places.count > 3 ? " and \(places.count - 3) more" : ""
        return places.prefix(3).joined(separator: ", ") + others
    }
}
