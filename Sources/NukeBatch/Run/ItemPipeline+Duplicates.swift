import Files
import JobManifest
import JobPlanning
import JobStorage

/// Items that are skipped because earlier ones have the same original.
extension ItemPipeline {
    /// Returns the outputs of an item that is the duplicate of an earlier one, if its original is the one that was compared.
    func duplicates(_ item: ClaimedItem, of sha256: String?) -> [OutputRecord]? {
        guard manifest.dataset?.deduplication != nil, let twin = item.twin, twin.originalSHA256 == sha256
        else { return nil }
        return recipes[item.source].map { .skipped($0, reason: OutputRecord.duplicate) }
    }

    /// Returns the outputs of a duplicate whose original is not needed; otherwise nil.
    ///
    /// An original that is to be revalidated is needed, and so is one whose facts are missing.
    func duplicatesWithoutOriginal(_ item: ClaimedItem) -> [OutputRecord]? {
        guard loader.trustsCache || !manifest.cache.asksAgain,
            FactExtractor(manifest.facts, recorded: ItemFacts(json: item.facts)).isDone
        else { return nil }
        return duplicates(item, of: item.originalSHA256)
    }

    /// Loads the original of an item to compare it with others; nil if what is on record of it is enough.
    /// - Throws: `ItemError` if it cannot be had, or if the facts by which it is compared cannot be found.
    func see(_ item: ClaimedItem) async throws(ItemError) -> SeenOriginal? {
        guard !isSeen(item) else { return nil }
        guard colliding(item) == nil, try await forbidden(item) == nil else { return SeenOriginal() }
        let original = try await load(item)
        do throws(ItemError) {
            // One that is never in the dataset stands for no other.
            if manifest.excludes(original) { return SeenOriginal(original: original) }
            let facts =
                manifest.dataset?.deduplication == .pixels
                ? FactExtractor(manifest.facts, of: item, original) : .none
            let plan = OutputPlan(recipes: [], facts: facts)
            let rendering = try await render(plan, from: original, of: item)
            original.mapping?.releaseMemory()
            rendering.lease?.keep(0)
            try await keep(original)
            return SeenOriginal(original: original, sha256: original.sha256, facts: rendering.facts)
        } catch {
            throw forget(original, of: item, because: error)
        }
    }

    /// True if the state knows the original of an item, whose origin need not be asked for changes.
    ///
    /// Planning detects changed files, and a `data:` URL never changes.
    private func isSeen(_ item: ClaimedItem) -> Bool {
        guard item.originalSHA256 != nil else { return false }
        if manifest.dataset?.deduplication == .pixels, ItemFacts(json: item.facts)?[.pdq] == nil {
            return false
        }
        let target = manifest.target(of: item.url).prefix(5).lowercased()
        return !manifest.cache.asksAgain || target == "file:" || target == "data:"
    }
}
