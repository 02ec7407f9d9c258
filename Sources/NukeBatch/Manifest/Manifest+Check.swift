/// What only several parts of a manifest, or the files that it names, can tell to be wrong.
extension Manifest {
    /// A source with what its outputs may call it by.
    struct CheckedSource {
        let source: Source
        /// The manifest's name for it: `sources[0]`.
        let place: String
        /// The path variables that all its items have; nil where only its rows can tell.
        let variables: Set<String>?
    }

    /// An output with the node that errors of its path belong to.
    struct CheckedOutput {
        let output: Output
        let pathNode: ManifestNode
    }

    /// Reads all sources, and looks for their lists, columns and folders.
    static func sources(_ node: ManifestNode?) -> [CheckedSource] {
        guard let node, let elements = node.elements() else { return [] }
        if elements.isEmpty { node.report("is empty: add at least one source") }
        var checked: [CheckedSource] = []
        var readsStandardInput = false
        for element in elements {
            guard let source = Source(element) else { continue }
            if case .list(let list) = source.kind, list.path == nil {
                if readsStandardInput { element.report("standard input can be read by one source only") }
                readsStandardInput = true
            }
            checked.append(
                CheckedSource(
                    source: source,
                    place: element.path.description,
                    variables: knownVariables(of: source, element)
                )
            )
        }
        return checked
    }

    /// The path variables that all items of a source have; nil where only its rows can tell.
    private static func knownVariables(of source: Source, _ node: ManifestNode) -> Set<String>? {
        do {
            switch source.kind {
            case .urls: return source.knownVariables(columns: nil)
            case .list(let list): return source.knownVariables(columns: try list.checkedColumns())
            case .files(let glob):
                try glob.checkRoot()
                return source.knownVariables(columns: nil)
            case .template: return source.knownVariables(columns: nil)
            case .sitemap(let sitemap):
                try sitemap.checkFile()
                return source.knownVariables(columns: nil)
            case .sqlite(let query): return source.knownVariables(columns: try query.checkedColumns())
            }
        } catch {
            node.report(error.description)
            return nil
        }
    }

    /// Reports every path variable of an output that the items of some source do not have.
    static func checkVariables(of outputs: [CheckedOutput], sources: [CheckedSource]) {
        for output in outputs {
            for (name, source) in output.output.path.columns.flatMap({ name in sources.map { (name, $0) } }) {
                guard let known = source.variables, !known.contains(name) else { continue }
                let all = known.union(OutputPath.builtInNames)
                let hint = NearestName.hint(for: name, among: all)
                let remedy = hint.isEmpty ? "; known are \(all.sorted().joined(separator: ", "))" : hint
                output.pathNode.report(
                    "unknown variable {\(name)} for the items of \(source.place)\(remedy)"
                )
            }
        }
    }
}
