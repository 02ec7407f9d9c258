import JobStorage

/// Origins that forbid the use of their pictures in datasets.
extension Manifest {
    /// The reason of what is skipped for it.
    static let optOut = "opt_out"

    /// Whether `original` is not to become a part of the dataset.
    ///
    /// `noai` and `noimageai` are directives that sites of artists have agreed on; whichever program a rule names, it counts.
    func leavesOut(_ original: Original) -> Bool {
        guard dataset?.honoursOptOut == true, !outputs.isEmpty, let robots = original.robots else {
            return false
        }
        let words = robots.lowercased().split { !$0.isLetter && !$0.isNumber && $0 != "-" && $0 != "_" }
        return words.contains { $0 == "noai" || $0 == "noimageai" }
    }
}

extension ItemPipeline {
    /// Makes nothing of `original`; it stays in the cache, so that what its origin said is known.
    func leaveOut(_ item: ClaimedItem, _ original: Original) async throws(ItemError) -> ItemOutcome {
        original.place?.process(into: 0)
        try await original.waitUntilDurable()
        try await pins?.keep(original)
        return ItemOutcome(
            item: item,
            original: original,
            outputs: recipes[item.source].map { .skipped($0, reason: Manifest.optOut) },
            reused: [],
            facts: nil
        )
    }
}
