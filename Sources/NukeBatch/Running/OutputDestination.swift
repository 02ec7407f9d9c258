import JobStorage

/// Where the pictures of items go: files of their own, or the shards of a dataset.
protocol OutputDestination: Sendable {
    /// Writes `pictures` of `item` durably; the result has an output for each that is made, skipped or failed.
    /// - Throws: `ItemError` where the machine is in the way, which is no picture's fault.
    func write(
        _ pictures: [Picture],
        of item: ClaimedItem,
        _ planned: PlannedItem,
        original: Original,
        facts: ItemFacts?
    ) async throws(ItemError) -> [OutputResult]

    /// What is to be made of an original, and what earlier runs made of the same bytes with the same recipe.
    func split(
        _ recipes: [Recipe],
        known: [OutputResult],
        original: Original
    ) -> (missing: [Recipe], reused: [OutputResult])

    /// The item is recorded, or given up.
    func release(_ item: ClaimedItem)
}

extension OutputDestination {
    /// Nothing was held for it.
    func release(_ item: ClaimedItem) {}
}
