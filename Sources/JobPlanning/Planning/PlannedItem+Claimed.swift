package import JobManifest
package import JobStorage

extension PlannedItem {
    /// The row of a claimed item as it was planned, for the paths of its outputs.
    package init(_ item: ClaimedItem, of manifest: Manifest) {
        let source = manifest.sources[item.source]
        let columns = ItemColumns(json: item.varsJSON)
        self.init(
            index: item.ordinal,
            url: item.url,
            target: manifest.target(of: item.url),
            id: item.id,
            headers: item.headers,
            priority: ItemPriority.allCases.first { $0.rank == item.priority } ?? .normal,
            variables: columns.variables(of: source),
            typedColumns: columns.typed,
            source: item.source,
            validator: item.validator,
            base: source.base,
            position: .file(item.location)
        )
    }

    /// The row of a listed item as it was planned, without its headers, for the paths of its markup.
    package init(_ item: ItemRecord, of manifest: Manifest) {
        let source = manifest.sources[item.source]
        let columns = ItemColumns(json: item.varsJSON)
        self.init(
            index: item.ordinal,
            url: item.url,
            target: manifest.target(of: item.url),
            id: item.id,
            variables: columns.variables(of: source),
            typedColumns: columns.typed,
            source: item.source,
            base: source.base,
            position: .file(item.location)
        )
    }
}

extension ClaimedItem {
    /// Its own and its source's headers, as written.
    package var headers: [String: String] { [String: String](json: headersJSON) }
}
