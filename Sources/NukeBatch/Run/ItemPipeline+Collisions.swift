import JobManifest
import JobPlanning
import JobStorage

/// Outputs whose paths earlier rows have, as planning found.
extension ItemPipeline {
    /// Returns the outputs of an item that needs no original, because earlier rows have all its paths; otherwise nil.
    func colliding(_ item: ClaimedItem) -> [OutputRecord]? {
        guard !item.collisions.isEmpty, manifest.facts.isEmpty else { return nil }
        let (free, decided) = divide(recipes[item.source], of: item)
        return free.isEmpty ? decided : nil
    }

    /// Divides recipes into those whose paths are the item's own, and the results of those whose paths are not.
    func divide(_ recipes: [Recipe], of item: ClaimedItem) -> (free: [Recipe], decided: [OutputRecord]) {
        var (free, decided): ([Recipe], [OutputRecord]) = ([], [])
        for recipe in recipes {
            if let collision = item.collisions.first(where: { $0.output == recipe.output.name }) {
                decided.append(result(of: recipe, collision, item))
            } else {
                free.append(recipe)
            }
        }
        return (free, decided)
    }

    private func result(
        of recipe: Recipe,
        _ collision: ClaimedItem.Collision,
        _ item: ClaimedItem
    ) -> OutputRecord {
        if collision.isSkipped {
            return .skipped(recipe, reason: OutputRecord.pathTaken + collision.owner)
        }
        let message = manifest.collision(
            of: collision.owner,
            and: item.location,
            writing: collision.path,
            output: collision.output
        )
        return .failed(recipe, ItemError(.collision, message))
    }
}
