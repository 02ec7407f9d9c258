import ObjectStorage

/// Sources from a manifest.
extension Source {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(Self.section) else { return nil }
        guard let kind = Kind(fields) else { return nil }
        self.kind = kind
        let base = fields.node(SourceKeys.base)?.folder()
        folder = base ?? kind.folder ?? node.reading.folder
        switch kind {
        case .files(let files): self.base = files.base
        case .objects(let objects): self.base = objects.base
        default: self.base = base.map(ItemURL.url(ofFolder:))
        }
        priority = fields[SourceKeys.priority] ?? priority
        headers = fields[SourceKeys.headers] ?? headers
        allowsEmpty = fields[SourceKeys.allowEmpty] ?? allowsEmpty
        if case .template = kind {} else { variables = fields[SourceKeys.vars]?.variables() ?? [:] }
        processors = Step.list(fields[SourceKeys.processors])
    }

    /// The path variables that every item of the source has; nil if only its rows can tell.
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
        case .sqlite:
            guard let columns else { return nil }
            known.formUnion(columns)
        case .files, .objects, .sitemap: break
        }
        return known
    }
}

extension ManifestNode {
    /// Reads a folder: the absolute path of one of this machine, or `s3://bucket/prefix` without a slash at its end.
    fileprivate func folder() -> String? {
        guard let text = expandedString() else { return nil }
        return reporting { () throws(TextError) in try Destination(text, in: reading.folder).description }
    }
}

extension Source.Kind {
    /// The folder that relative paths of rows start from if it is not the manifest's: a list in a bucket is in one.
    fileprivate var folder: String? {
        guard case .list(let list) = self, let text = list.location, let location = ObjectLocation(text)
        else { return nil }
        if let base = list.objects?.base { return base }
        let folder = location.key.unicodeScalars.lastIndex(of: "/").map { String(location.key[..<$0]) }
        return ObjectLocation(bucket: location.bucket, key: folder ?? "").description
    }

    fileprivate init?(_ fields: Fields) {
        let kinds = Self.readers.filter { fields.node($0.key) != nil }
        guard let kind = kinds.first, let node = fields.node(kind.key), kinds.count == 1 else {
            let found = kinds.isEmpty ? "none" : kinds.map(\.key.name).joined(separator: " and ")
            let all = Self.readers.map { "\"\($0.key.name)\"" }.joined(separator: ", ")
            fields.owner.report("should have exactly one of \(all), not \(found)")
            return nil
        }
        for (key, users) in Self.companions where !users.contains(where: { $0.name == kind.key.name }) {
            let all = users.map { "\"\($0.name)\"" }.joined(separator: " and ")
            fields.node(key)?.report("is only for \(all): remove it")
        }
        guard let read = kind.read(node, fields) else { return nil }
        self = read
    }

    private typealias Reader = @Sendable (ManifestNode, Fields) -> Self?

    /// The keys that decide the kind of a source, and their readers.
    private static let readers: [(key: Key<ManifestNode>, read: Reader)] = [
        (SourceKeys.files, { node, fields in FileSelection(node, fields).map(Self.files) }),
        (SourceKeys.list, { node, fields in ItemList(node, fields).map(Self.list) }),
        (SourceKeys.objects, { node, fields in ObjectSelection(node, fields).map(Self.objects) }),
        (SourceKeys.sitemap, { node, _ in Sitemap(node).map(Self.sitemap) }),
        (SourceKeys.sqlite, { node, fields in DatabaseQuery(node, fields).map(Self.sqlite) }),
        (SourceKeys.template, { node, fields in URLTemplate(node, fields).map(Self.template) }),
        (SourceKeys.urls, { node, _ in .urls(node.elements()?.compactMap(ItemEntry.init) ?? []) }),
    ]
    /// The keys that go with one kind or two only.
    private static let companions: [(key: any ManifestKey, users: [Key<ManifestNode>])] = [
        (SourceKeys.format, [SourceKeys.list]), (SourceKeys.delimiter, [SourceKeys.list]),
        (SourceKeys.columns, [SourceKeys.list, SourceKeys.sqlite]),
        (SourceKeys.base, [SourceKeys.list, SourceKeys.sqlite]),
        (SourceKeys.query, [SourceKeys.sqlite]),
        (SourceKeys.exclude, [SourceKeys.files, SourceKeys.objects]),
        (SourceKeys.ignoreCase, [SourceKeys.files, SourceKeys.objects]),
    ]
}

extension ItemEntry {
    /// Reads `"https://…"` or `{"url": "https://…", "id": "sku-42"}`.
    package init?(_ node: ManifestNode) {
        if case .string = node.value.kind {
            guard let url = Self.url(node) else { return nil }
            self.init(url: url)
            return
        }
        guard let fields = node.fields(Self.section) else { return nil }
        guard let url = fields.node(EntryKeys.url).flatMap(Self.url) else { return nil }
        var headers = fields[EntryKeys.headers] ?? [:]
        if let version = fields[EntryKeys.versionId] {
            headers[ItemURL.versionHeader] = version
            if !ItemURL.isObject(url) {
                fields.node(EntryKeys.versionId)?.report("is only for s3:// URLs: remove it")
            }
        }
        self.init(
            url: url,
            id: fields[EntryKeys.id].flatMap { $0.isEmpty ? nil : $0 },
            priority: fields[EntryKeys.priority],
            headers: headers,
            variables: fields[EntryKeys.vars] ?? [:]
        )
    }

    private static func url(_ node: ManifestNode) -> String? {
        // A variable that is not set is an error here, but the text is stored as written.
        node.expandedString().flatMap { _ in node.string() }
    }
}

extension FileSelection {
    init?(_ node: ManifestNode, _ fields: Fields) {
        let ignoresCase = fields[SourceKeys.ignoreCase] ?? SourceKeys.ignoreCase.standard
        let globs = Glob.read(node) { pattern, node throws(TextError) in
            try Self.checkFile(pattern)
            let home = node.reading.shared.variables.home
            return [
                try Glob(
                    pattern,
                    folder: node.reading.folder,
                    home: home,
                    ignoresCase: ignoresCase,
                    isFolder: { node.reading.shared.files.isFolder($0) }
                )
            ]
        }
        guard !globs.isEmpty else {
            if case .array(let elements) = node.value.kind, elements.isEmpty {
                node.report("is empty: name at least one glob")
            }
            return nil
        }
        let root = Self.root(of: globs)
        let excluded = fields[SourceKeys.exclude].map { node in
            Glob.read(node) { pattern, node throws(TextError) in
                let home = node.reading.shared.variables.home
                // Below the manifest's folder, as `files` is, or below that of the files themselves.
                var found: [Glob] = []
                for folder in [node.reading.folder, root] {
                    let glob = try Glob(
                        pattern,
                        folder: folder,
                        home: home,
                        ignoresCase: ignoresCase,
                        excludes: true
                    )
                    found.append(glob)
                }
                return found
            }
        }
        self.init(globs: globs, excluded: excluded ?? [])
    }

    /// Refuses a URL, which would be the path of a folder with a colon.
    private static func checkFile(_ pattern: String) throws(TextError) {
        guard ItemURL.isURL(pattern) else { return }
        let remedy =
            ObjectLocation.isLocation(pattern)
            ? "for objects of a bucket, use \"objects\" in place of \"files\""
            : "use \"urls\" in place of \"files\", or write a path"
        throw TextError("is a URL, not a path: \(remedy)")
    }
}

extension Glob {
    /// Reads a pattern or a list of them.
    static func read<Pattern>(
        _ node: ManifestNode,
        _ globs: (String, ManifestNode) throws(TextError) -> [Pattern]
    ) -> [Pattern] {
        let nodes: [ManifestNode]
        if case .array = node.value.kind { nodes = node.elements() ?? [] } else { nodes = [node] }
        var read: [Pattern] = []
        for node in nodes {
            guard let pattern = node.expandedString() else { continue }
            read += node.reporting { () throws(TextError) in try globs(pattern, node) } ?? []
        }
        return read
    }
}

extension Sitemap {
    fileprivate init?(_ node: ManifestNode) {
        guard let (written, url) = node.location(schemes: ["https", "http", "file"]) else { return nil }
        self.init(written: written, url: url)
    }
}

extension DatabaseQuery {
    fileprivate init?(_ node: ManifestNode, _ fields: Fields) {
        fields.require(anyOf: SourceKeys.query.name)
        guard let name = node.expandedString(), let query = fields[SourceKeys.query] else { return nil }
        self.init(
            name: name,
            path: FilePath.absolute(name, in: node.reading.folder),
            query: query,
            columns: ItemList.Columns(fields[SourceKeys.columns])
        )
    }
}

extension ItemList {
    fileprivate init?(_ node: ManifestNode, _ fields: Fields) {
        guard let name = node.expandedString() else { return nil }
        let isRemote = ObjectLocation.isLocation(name)
        if isRemote, ObjectLocation(name)?.key.isEmpty ?? true {
            node.report("should name an object: s3://bucket/lists/urls.csv")
        }
        isCompressed = Self.isCompressed(name)
        let chosen = fields[SourceKeys.format]
        guard let format = chosen ?? Format(ofFile: name) else {
            if fields.node(SourceKeys.format) == nil {
                node.report(
                    "the list's format is unknown: add \"as\": \"txt\", \"csv\", \"tsv\", \"jsonl\" or \"parquet\""
                )
            }
            return nil
        }
        self.name = name
        self.format = format
        location = isRemote ? name : nil
        path = isRemote || name == "-" ? nil : FilePath.absolute(name, in: node.reading.folder)
        columns = Columns(fields[SourceKeys.columns])
        hasColumns = fields.node(SourceKeys.columns) != nil
        delimiter = Self.delimiter(fields, of: format)
        if format == .parquet { Self.check(name, node) }
        glob = format == .parquet && !isRemote ? Self.glob(name, node) : nil
        objects = format == .parquet && isRemote ? Self.objects(name, node) : nil
        if format == .txt {
            fields[SourceKeys.columns]?.report(
                "is only for tables, and a text list has no columns: remove it"
            )
        }
    }

    /// The delimiter that the manifest names.
    private static func delimiter(_ fields: Fields, of format: Format) -> UInt8? {
        guard let node = fields.node(SourceKeys.delimiter), let text = fields[SourceKeys.delimiter] else {
            return nil
        }
        guard [.csv, .tsv].contains(format) else {
            node.report("is only for CSV and TSV lists: remove it")
            return nil
        }
        let bytes = Array(text.utf8)
        guard bytes.count == 1, bytes[0] < 0x80, !"\"\r\n\0".utf8.contains(bytes[0]) else {
            node.report("should be one character of ASCII, such as \",\", \";\", \"\\t\" or \"|\"")
            return nil
        }
        return bytes[0]
    }

    /// Checks the name of a Parquet list, which needs random access.
    private static func check(_ name: String, _ node: ManifestNode) {
        if name == "-" { node.report("Parquet has its directory at the end: write it to a file") }
        if isCompressed(name) { node.report("Parquet is compressed inside: decompress the file") }
    }

    /// The pattern of a Parquet list that is no single object.
    private static func objects(_ name: String, _ node: ManifestNode) -> ObjectSelection? {
        guard Glob.isWild(name) else { return nil }
        return node.reporting { () throws(TextError) in try ObjectSelection(pattern: name) }
    }

    /// The pattern of a Parquet list that is no single file.
    private static func glob(_ name: String, _ node: ManifestNode) -> Glob? {
        guard Glob.isWild(name) else { return nil }
        return node.reporting { () throws(TextError) in
            try Glob(name, folder: node.reading.folder, ignoresCase: false)
        }
    }

    /// Returns true if the name of a list says that it is compressed.
    package static func isCompressed(_ name: String) -> Bool { name.lowercased().hasSuffix(".gz") }
}

extension ItemList.Format {
    /// The format that a list's extension implies; nil without one.
    package init?(ofFile name: String) {
        let lowered = name.lowercased()
        let plain = ItemList.isCompressed(name) ? String(lowered.dropLast(3)) : lowered
        guard let format = Self.allCases.first(where: { plain.hasSuffix("." + $0.rawValue) }) else {
            return nil
        }
        self = format
    }
}

extension ItemList.Columns {
    fileprivate init(_ node: ManifestNode?) {
        let fields = node?.fields(Self.section)
        self.init(
            url: fields?[ColumnKeys.url],
            id: fields?[ColumnKeys.id],
            priority: fields?[ColumnKeys.priority]
        )
    }
}
