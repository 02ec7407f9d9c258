import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning
import JobStorage

/// The stage "write": writes encoded outputs durably under their names in the destination, and returns their records.
struct OutputFile: OutputDestination {
    let destination: Folder
    let staging: StagingFolder
    let writer: DurableWriter
    let claims: OutputPathClaims
    /// True if planning knows the paths of all outputs, and has found those that are equal.
    let knowsPaths: Bool

    /// Writes the outputs of `item`; the result has an entry for each, in their order, including failed ones.
    /// - Throws: `ItemError` for a local problem, which no output caused.
    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputResult] {
        var results: [OutputResult] = []
        let names = rendering.outputs.map(\.recipe.output.name)
        let claimant = OutputPathClaims.Claimant(item: item.claimed.itemID, outputs: names)
        for output in rendering.outputs {
            switch output.result {
            case .encoded(let encoded):
                do throws(ItemError) {
                    results.append(try await write(encoded, by: output.recipe, of: item, for: claimant))
                } catch {
                    guard error.handling == .permanent else { throw error }
                    results.append(.failed(output.recipe, error))
                }
            case .skipped(let reason):
                results.append(.skipped(output.recipe, reason: reason))
            case .failed(let error):
                results.append(.failed(output.recipe, error))
            }
        }
        try check()
        return results
    }

    func release(_ item: ClaimedItem) {
        claims.release(item.itemID)
    }

    func close() {
        staging.close()
    }

    func check() throws(ItemError) {
        try destination.requirePlace()
    }

    private func write(
        _ encoded: RenderedOutput.Encoded,
        by recipe: Recipe,
        of item: OutputItem,
        for claimant: OutputPathClaims.Claimant
    ) async throws(ItemError) -> OutputResult {
        let path = item.path(of: encoded, by: recipe)
        let (known, id) = (item.claimed.outputs.compactMap(\.path), item.claimed.itemID)
        do {
            if recipe.output.existing == .keep, !known.contains(path), try destination.examine(path) != nil {
                return .skipped(recipe, reason: OutputResult.exists)
            }
            // Planned paths differ; one that is known only after rendering may be that of any other output.
            if knowsPaths {
                claims.note(path, sha256: encoded.sha256, item: id)
            } else {
                try await claims.take(
                    path,
                    sha256: encoded.sha256,
                    for: claimant,
                    distinction: recipe.output.path.missingDistinction
                ) { () throws(FileError) in
                    try destination.examine(path) != nil
                }
            }
            let shared = recipe.isCopy ? await item.original.sharedFile() : nil
            try await writer.write(encoded.data, sharing: shared, to: path, in: destination, staging: staging)
        } catch let error as FileError {
            throw try await explain(error, at: path, of: id)
        } catch {
            throw ItemError(error)
        }
        return OutputResult(made: encoded, by: recipe, of: item.original, path: path)
    }

    /// Returns the item's error for an output that could not be written: trouble of the destination is local, unless the
    /// item's own path is the cause.
    /// - Throws: `ItemError` of code `collision` if another output is in the way, `local` if the destination has moved.
    private func explain(_ error: FileError, at path: String, of item: Int64) async throws(ItemError)
        -> ItemError
    {
        if error.isAboutName { return ItemError(.processing, error.description) }
        try check()
        switch error.code {
        case ENOTDIR:
            try await claims.requireNoCrossing(path, item: item)
            return ItemError(.local, "\(error): a file stands where a folder is needed; move it away")
        case EISDIR:
            try await claims.requireNoCrossing(path, item: item)
            return ItemError(.local, "\(error): a folder has the name of the file; move it away")
        default:
            return ItemError(.local, error.description)
        }
    }
}

extension OutputResult {
    /// The record of an output that was made.
    init(made encoded: RenderedOutput.Encoded, by recipe: Recipe, of original: Original, path: String) {
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
