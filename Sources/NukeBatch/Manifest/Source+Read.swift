/// Sources from a manifest.
extension Source {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.source) else { return nil }
        guard let kind = Kind(fields) else { return nil }
        self.kind = kind
        folder = node.reading.folder
        priority = fields["priority"]?.choice(ItemPriority.self) ?? .normal
        headers = fields["headers"]?.headers() ?? [:]
        if case .template = kind {} else { variables = fields["vars"]?.variables() ?? [:] }
        processors = Step.list(fields["processors"])
    }

    /// The path variables that every item of the source has; nil where only its rows can tell.
    func knownVariables(columns: [String]?) -> Set<String>? {
        var known = Set(variables.keys)
        switch kind {
        case .urls(let entries):
            let named = entries.map { Set($0.variables.keys) }
            known.formUnion(named.dropFirst().reduce(named.first ?? []) { $0.intersection($1) })
        case .list(let list):
            if list.format == .txt { break }
            guard let columns else { return nil }
            known.formUnion(columns)
        case .template(let template): known.formUnion(template.variables.map(\.name))
        case .sqlite: known.formUnion(columns ?? [])
        case .files, .sitemap: break
        }
        return known
    }
}

extension Source.Kind {
    fileprivate init?(_ fields: Fields) {
        let kinds = Self.readers.keys.sorted().filter { fields[$0] != nil }
        guard let kind = kinds.first, let node = fields[kind], kinds.count == 1 else {
            let found = kinds.isEmpty ? "none" : kinds.joined(separator: " and ")
            let all = Self.readers.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
            fields.owner.report("a source has one of \(all), not \(found)")
            return nil
        }
        for (key, users) in Self.companions.sorted(by: { $0.key < $1.key }) where !users.contains(kind) {
            let all = users.map { "\"\($0)\"" }.joined(separator: " and ")
            fields[key]?.report("goes with \(all) only: remove it")
        }
        guard let read = Self.readers[kind]?(node, fields) else { return nil }
        self = read
    }

    /// What reads a source of each kind, by the key that tells its kind.
    private static let readers: [String: @Sendable (ManifestNode, Fields) -> Self?] = [
        "urls": { node, _ in .urls(node.elements()?.compactMap(ItemEntry.init) ?? []) },
        "list": { node, fields in ItemList(node, fields).map(Self.list) },
        "files": { node, _ in Glob(node).map(Self.files) },
        "template": { node, fields in URLTemplate(node, fields).map(Self.template) },
        "sitemap": { node, _ in Sitemap(node).map(Self.sitemap) },
        "sqlite": { node, fields in DatabaseQuery(node, fields).map(Self.sqlite) },
    ]
    /// The keys that say more of one kind or two, and of which.
    private static let companions = [
        "as": ["list"], "columns": ["list", "sqlite"], "query": ["sqlite"],
    ]
}

extension ItemEntry {
    /// Reads `"https://…"` or `{"url": "https://…", "id": "sku-42"}`.
    init?(_ node: ManifestNode) {
        if case .string = node.value.kind {
            guard let url = Self.url(node) else { return nil }
            self.init(url: url)
            return
        }
        guard let fields = node.fields(.entry) else { return nil }
        fields.require("url")
        guard let urlNode = fields["url"], let url = Self.url(urlNode) else { return nil }
        self.init(
            url: url,
            id: fields["id"]?.text().flatMap { $0.isEmpty ? nil : $0 },
            priority: fields["priority"]?.choice(ItemPriority.self),
            headers: fields["headers"]?.headers() ?? [:],
            variables: fields["vars"]?.variables() ?? [:]
        )
    }

    private static func url(_ node: ManifestNode) -> String? {
        // A variable that is not set is an error here; what is kept is the text as written.
        node.expandedString().flatMap { _ in node.string() }
    }
}

extension Glob {
    fileprivate init?(_ node: ManifestNode) {
        guard let pattern = node.expandedString() else { return nil }
        do {
            try self.init(pattern, folder: node.reading.folder)
        } catch {
            node.report(error.message)
            return nil
        }
    }
}

extension Sitemap {
    fileprivate init?(_ node: ManifestNode) {
        guard let written = node.string(), let expanded = node.expandedString() else { return nil }
        let checked = ItemURL.check(
            expanded,
            folder: node.reading.folder,
            schemes: ["https", "http", "file"]
        )
        if let problem = checked.problem {
            node.report(problem.message)
            return nil
        }
        self.init(written: written, url: checked.url)
    }
}

extension DatabaseQuery {
    fileprivate init?(_ node: ManifestNode, _ fields: Fields) {
        fields.require("query")
        guard let name = node.expandedString(), let query = fields["query"]?.string() else { return nil }
        self.init(
            name: name,
            path: FilePath.absolute(name, in: node.reading.folder),
            query: query,
            columns: ItemList.Columns(fields["columns"])
        )
    }
}

extension ItemList {
    fileprivate init?(_ node: ManifestNode, _ fields: Fields) {
        guard let name = node.expandedString() else { return nil }
        let isStandardInput = name == "-"
        let lowered = name.lowercased()
        isCompressed = lowered.hasSuffix(".gz")
        let plain = isCompressed ? String(lowered.dropLast(3)) : lowered
        let byName = Format.allCases.first { plain.hasSuffix("." + $0.rawValue) }
        let chosen = fields["as"]?.choice(Format.self)
        guard let format = chosen ?? byName else {
            if fields["as"] == nil {
                node.report(
                    "nothing tells what the list is: add \"as\": \"txt\", \"csv\", \"tsv\" or \"jsonl\""
                )
            }
            return nil
        }
        self.name = name
        self.format = format
        path = isStandardInput ? nil : FilePath.absolute(name, in: node.reading.folder)
        columns = Columns(fields["columns"])
        if format != .csv, format != .tsv {
            fields["columns"]?.report("goes with lists in CSV and TSV, and with \"sqlite\": remove it")
        }
    }
}

extension ItemList.Columns {
    fileprivate init(_ node: ManifestNode?) {
        guard let fields = node?.fields(.columns) else { return }
        let names = fields.nodes.compactMapValues { $0.string() }
        url = names["url"] ?? url
        id = names["id"] ?? id
        priority = names["priority"] ?? priority
        required = Set(names.values)
    }
}
