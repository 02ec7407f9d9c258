import Files
import Foundation
import Imaging
import JobStorage

/// The stage "write": finished pictures under their names in the destination, durably, and what is recorded of them.
struct OutputFile: OutputDestination {
    let destination: Folder
    let writer: DurableWriter
    let latePaths: LatePaths

    /// Writes `pictures` of `item`; the result has an output for each, in their order, failed ones too.
    /// - Throws: `ItemError` where the machine is in the way, which is no picture's fault.
    func write(
        _ pictures: [Picture],
        of item: ClaimedItem,
        _ planned: PlannedItem,
        original: Original,
        facts: ItemFacts?
    ) async throws(ItemError) -> [OutputResult] {
        var results: [OutputResult] = []
        for picture in pictures {
            switch picture.result {
            case .encoded(let encoded):
                do throws(ItemError) {
                    results.append(try await write(encoded, picture.recipe, of: item, planned, original))
                } catch {
                    guard error.handling == .permanent else { throw error }
                    results.append(.failed(picture.recipe, error))
                }
            case .skipped(let reason):
                results.append(.skipped(picture.recipe, reason: reason))
            case .failed(let error):
                results.append(.failed(picture.recipe, error))
            }
        }
        return results
    }

    /// Each output by itself: one that is there does not keep another from being made.
    func split(_ recipes: [Recipe], known: [OutputResult], original: Original) -> (
        missing: [Recipe], reused: [OutputResult]
    ) {
        var (missing, reused): ([Recipe], [OutputResult]) = ([], [])
        for recipe in recipes {
            if let made = recipe.made(known, of: original) {
                reused.append(made)
            } else {
                missing.append(recipe)
            }
        }
        return (missing, reused)
    }

    func release(_ item: ClaimedItem) {
        latePaths.release(item.itemID)
    }

    private func write(
        _ encoded: Picture.Encoded,
        _ recipe: Recipe,
        of item: ClaimedItem,
        _ planned: PlannedItem,
        _ original: Original
    ) async throws(ItemError) -> OutputResult {
        let facts = OutputFacts(
            fileExtension: encoded.fileExtension,
            width: encoded.size.width,
            height: encoded.size.height,
            hash: original.sha256
        )
        let path = OutputPath.finished(recipe.output.path.planned(for: planned), with: facts)
        let known = item.outputs.compactMap(\.path)
        if recipe.output.existing == .keep, !known.contains(path), destination.status(of: path) != nil {
            return .skipped(recipe, reason: OutputResult.exists)
        }
        // What was planned cannot collide; what is known only now may meet another item's file.
        if !recipe.output.path.isKnownInPlanning {
            try await latePaths.take(path, sha256: encoded.sha256, item: item.itemID) {
                destination.status(of: path) != nil
            }
        }
        do {
            try await writer.write(encoded.data, to: path, in: destination)
        } catch {
            throw error.isLocalTrouble ? ItemError("local", error.description, .local) : ItemError(error)
        }
        return OutputResult(made: encoded, recipe, of: original, path: path)
    }
}

extension OutputResult {
    /// An output that was made.
    init(made encoded: Picture.Encoded, _ recipe: Recipe, of original: Original, path: String) {
        self.init(
            name: recipe.output.name,
            recipe: recipe.digest,
            state: .done,
            path: path,
            spec: recipe.specification(originalSHA256: original.sha256),
            bytes: encoded.data.count,
            sha256: encoded.sha256,
            width: encoded.size.width,
            height: encoded.size.height,
            encoder: encoded.encoder
        )
    }
}
