import JobManifest
import JobPlanning
import JobStorage

/// Outputs that someone has moved to their new paths: with the destination, or because the paths in the manifest have changed.
extension ItemPipeline {
    /// Returns the outputs of an item whose files are all in their new places, so that its original is not needed; otherwise nil.
    ///
    /// An original that is to be revalidated is needed, and so are one whose facts are missing and one whose origin may have opted
    /// out.
    /// - Throws: `ItemError` for a problem that no output caused.
    func moved(_ item: ClaimedItem) async throws(ItemError) -> (
        reused: [OutputRecord], decided: [OutputRecord]
    )? {
        let isUnknown = item.originalSHA256 == AdoptedItem.unknownOriginal
        guard item.requeued == .outputs || item.requeued == .path, let sha256 = item.originalSHA256,
            !isUnknown || !manifest.markups.contains(where: \.needsHash),
            manifest.facts.isEmpty, manifest.dataset?.honoursOptOut != true, !manifest.cache.asksAgain,
            manifest.dataset?.deduplication == nil
        else { return nil }
        let (free, decided) = divide(recipes[item.source], of: item)
        let skipped = free.compactMap { stillSkipped($0, of: item, originalSHA256: sha256) }
        let others = free.filter { recipe in !skipped.contains { $0.name == recipe.output.name } }
        // Before any file is read.
        guard !others.isEmpty,
            others.allSatisfy({ former($0, of: item, originalSHA256: sha256)?.state == .done })
        else { return nil }
        let moved = try await moved(others, of: item, originalSHA256: sha256)
        guard moved.count == others.count else { return nil }
        return (moved, skipped + decided)
    }

    /// Returns those outputs of `recipes` whose files are at the paths that they would get now; they need no other bytes.
    /// - Throws: `ItemError` for a problem that no output caused.
    func moved(
        _ recipes: [Recipe],
        of item: ClaimedItem,
        originalSHA256: String
    ) async throws(ItemError) -> [OutputRecord] {
        guard let destination, !item.outputs.isEmpty else { return [] }
        let planned = PlannedItem(item, of: manifest)
        var moved: [OutputRecord] = []
        for recipe in recipes {
            guard let made = former(recipe, of: item, originalSHA256: originalSHA256), made.state == .done
            else { continue }
            let paths = recipe.paths(of: made, item: planned, originalSHA256: originalSHA256)
            if made.recipe == recipe.digest, paths.contains(where: made.isAt) {
                moved.append(made)
                continue
            }
            for path in paths where try await destination.holds(made, at: path, of: item) {
                var output = made
                (output.path, output.recipe) = (path, recipe.digest)
                output.spec = recipe.specification(originalSHA256: originalSHA256)
                moved.append(output)
                break
            }
        }
        return moved
    }

    /// Returns the output as it is skipped now as well, if the original was the reason for it; otherwise nil.
    private func stillSkipped(_ recipe: Recipe, of item: ClaimedItem, originalSHA256: String) -> OutputRecord?
    {
        guard let former = former(recipe, of: item, originalSHA256: originalSHA256), former.state == .skipped,
            let reason = former.reason, reason != OutputRecord.exists, reason != OutputRecord.duplicate,
            reason != Manifest.optOut,
            !reason.hasPrefix(OutputRecord.pathTaken)
        else { return nil }
        return .skipped(recipe, reason: reason)
    }

    /// Returns the output of `recipe` on record, if it differs at most in its place.
    private func former(_ recipe: Recipe, of item: ClaimedItem, originalSHA256: String) -> OutputRecord? {
        item.outputs.first { known in
            recipe.differsInPlace(known, former: formerParts[known.recipe], originalSHA256: originalSHA256)
        }
    }
}
