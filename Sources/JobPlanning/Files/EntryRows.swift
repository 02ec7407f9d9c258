import JobManifest

/// The entries of `"urls"`.
struct EntryRows: RowReading {
    private let entries: [ItemEntry]
    private let manifest: Manifest
    private let context: RowContext
    private let source: Int
    private var index = 0

    init(_ entries: [ItemEntry], source: Int, of manifest: Manifest, context: RowContext) {
        self.entries = entries
        self.source = source
        self.manifest = manifest
        self.context = context
    }

    mutating func next() -> Row? {
        guard index < entries.count else { return nil }
        defer { index += 1 }
        let entry = entries[index]
        let checked = context.check(manifest.variables.expanded(entry.url))
        var row = Row(url: checked, position: .entry(source: source, index: index))
        if Variables.occur(in: entry.url) {
            // Stored as written, because the value of a variable may be a secret.
            row.url = ItemURL.Checked(url: written(entry.url), problem: checked.problem)
            row.target = checked.url
        }
        row.id = entry.id
        row.priority = entry.priority
        row.headers = entry.headers
        row.variables = entry.variables
        return row
    }

    /// Returns a text with variables as it is stored.
    ///
    /// A path relative to a folder other than the manifest's gets that folder as a prefix, because stored paths are
    /// relative to the manifest's folder.
    private func written(_ text: String) -> String {
        guard context.folder != manifest.folder else { return text }
        let isSame = manifest.target(of: text) == context.check(manifest.variables.expanded(text)).url
        return isSame ? text : "\(context.folder)/\(text)"
    }
}
