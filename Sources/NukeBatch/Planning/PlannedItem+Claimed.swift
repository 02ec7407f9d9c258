import JobStorage

extension PlannedItem {
    /// The row of a claimed item as it was planned, for the paths of its outputs.
    init(_ item: ClaimedItem, of manifest: Manifest) {
        let source = manifest.sources[item.source]
        self.init(
            index: item.ordinal,
            url: item.url,
            target: manifest.target(of: item.url),
            id: item.id,
            headers: item.headers,
            priority: ItemPriority.allCases.first { $0.rank == item.priority } ?? .normal,
            variables: item.variables,
            source: item.source,
            problem: nil,
            validator: item.validator,
            base: source.base,
            place: .file(item.location)
        )
    }
}
