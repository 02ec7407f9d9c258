import JobStorage
import Originals

/// Outputs that another tool made, as `Adoption` has recorded them.
extension ItemPipeline {
    /// Returns the item with its adopted outputs as made of `original`, the first that is loaded since: nothing else tells what
    /// they were made of.
    ///
    /// One whose file is older than the original is left as it is, so that it is made again.
    /// - Throws: `ItemError` for a problem that no output caused.
    func attributing(_ item: ClaimedItem, to original: Original) throws(ItemError) -> ClaimedItem {
        let unknown = AdoptedItem.unknownOriginal
        guard item.originalSHA256 == unknown, let destination else { return item }
        var item = item
        for (index, output) in item.outputs.enumerated() where output.reason == OutputRecord.adopted {
            guard let path = output.path, let shape = formerParts[output.recipe]?[OutputRecipe.shape],
                output.spec == Recipe.specification(originalSHA256: unknown, shape: shape)
            else { continue }
            if let changed = original.metadata?.modified, let made = try destination.modified(path),
                made < changed
            {
                continue
            }
            item.outputs[index].spec = Recipe.specification(originalSHA256: original.sha256, shape: shape)
        }
        return item
    }
}
