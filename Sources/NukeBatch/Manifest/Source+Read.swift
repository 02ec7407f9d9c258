/// Sources from a manifest.
extension Source {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.source) else { return nil }
        // What a source of a later release has besides is not looked at.
        guard NotSupportedYet.keys(of: .source).isDisjoint(with: fields.keys) else { return nil }
        guard let kind = Kind(fields) else { return nil }
        self.kind = kind
        priority = fields["priority"]?.choice(ItemPriority.self) ?? .normal
        headers = fields["headers"]?.headers() ?? [:]
        variables = fields["vars"]?.variables() ?? [:]
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
        case .files: break
        }
        return known
    }
}

extension Source.Kind {
    fileprivate init?(_ fields: Fields) {
        let kinds = ["urls", "list", "files"].filter { fields[$0] != nil }
        guard kinds.count == 1 else {
            let found = kinds.isEmpty ? "none" : kinds.joined(separator: " and ")
            fields.owner.report("a source has one of \"urls\", \"list\" and \"files\", not \(found)")
            return nil
        }
        if kinds != ["list"] {
            for key in ["as", "columns"] { fields[key]?.report("goes with \"list\" only: remove it") }
        }
        if let node = fields["urls"] {
            self = .urls(node.elements()?.compactMap(ItemEntry.init) ?? [])
        } else if let node = fields["list"] {
            guard let list = ItemList(node, fields) else { return nil }
            self = .list(list)
        } else {
            guard let node = fields["files"], let pattern = node.expandedString() else { return nil }
            do {
                self = .files(try Glob(pattern, folder: node.reading.folder))
            } catch {
                node.report(error.message)
                return nil
            }
        }
    }
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
        columns = Columns(fields["columns"], format: format)
    }
}

extension ItemList.Columns {
    fileprivate init(_ node: ManifestNode?, format: ItemList.Format) {
        guard let node, let fields = node.fields(.columns) else { return }
        guard format == .csv || format == .tsv else {
            node.report("goes with lists in CSV and TSV only: remove it")
            return
        }
        let names = fields.nodes.compactMapValues { $0.string() }
        url = names["url"] ?? url
        id = names["id"] ?? id
        priority = names["priority"] ?? priority
        required = Set(names.values)
    }
}
