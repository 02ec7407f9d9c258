import Foundation
import JobManifest
import JobPlanning
import JobStorage

/// A destination of outputs: separate files, objects of a bucket, or the shards of a dataset.
protocol OutputDestination: Sendable {
    /// Writes the outputs of `item` durably; the result has an entry for each output made, skipped or failed.
    /// - Throws: `ItemError` for a local problem, which no output caused.
    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputRecord]

    /// Divides recipes into those to render and those whose outputs earlier runs made from the same bytes.
    func split(
        _ recipes: [Recipe],
        known: [OutputRecord],
        original: Original
    ) -> (missing: [Recipe], reused: [OutputRecord])

    /// Returns those outputs of `recipes` that are skipped because of what is at their paths, found without rendering.
    /// - Throws: `ItemError` for a problem that no output caused.
    func existing(_ recipes: [Recipe], of item: OutputItem) async throws(ItemError) -> [OutputRecord]

    /// Returns true if the finished output `made` of an item is at `path` with the bytes that are recorded, and if the item may
    /// have that path.
    /// - Throws: `ItemError` for a problem that no output caused.
    func holds(_ made: OutputRecord, at path: String, of item: ClaimedItem) async throws(ItemError) -> Bool

    /// Returns the time of the last change of the file at `path`; nil if there is none.
    /// - Throws: `ItemError` for a problem that no output caused.
    func modified(_ path: String) throws(ItemError) -> Date?

    /// Releases the paths of an item that is recorded or given up.
    func release(_ item: ClaimedItem)

    /// Ends writes that would take long, when the run is stopped; their items are put back.
    func stop()

    /// Checks that the destination is still where the run found it.
    /// - Throws: `ItemError` for a local problem if it is not.
    func check() throws(ItemError)

    /// Removes what is needed only for writing; call it after the last write.
    func close()
}

extension OutputDestination {
    /// Divides the recipes output by output: an existing output does not keep another from being made.
    func split(_ recipes: [Recipe], known: [OutputRecord], original: Original) -> (
        missing: [Recipe], reused: [OutputRecord]
    ) {
        var (missing, reused): ([Recipe], [OutputRecord]) = ([], [])
        for recipe in recipes {
            if let made = recipe.made(known, of: original) {
                reused.append(made)
            } else {
                missing.append(recipe)
            }
        }
        return (missing, reused)
    }

    /// Returns nothing: by default, it is seen when an output is written.
    func existing(_ recipes: [Recipe], of item: OutputItem) async throws(ItemError) -> [OutputRecord] { [] }

    /// Returns false: by default, outputs are nowhere else.
    func holds(_ made: OutputRecord, at path: String, of item: ClaimedItem) async throws(ItemError) -> Bool {
        false
    }

    /// Returns nil: by default, no output was adopted.
    func modified(_ path: String) throws(ItemError) -> Date? { nil }

    /// Does nothing: by default, no write takes long.
    func stop() {}

    /// Does nothing: by default, items hold no paths.
    func release(_ item: ClaimedItem) {}

    /// Does nothing: by default, a destination has no place.
    func check() throws(ItemError) {}

    /// Does nothing: by default, nothing is needed.
    func close() {}
}

/// An item whose outputs are written.
struct OutputItem: Sendable {
    /// The item as recorded in the state.
    let claimed: ClaimedItem
    /// The item as planned from its row, from which its paths are made.
    let planned: PlannedItem
    let original: Original

    /// Returns the path of an output relative to the destination, now that its format, size and original are known.
    func path(of encoded: RenderedOutput.Encoded, by recipe: Recipe) -> String {
        let facts = OutputFacts(
            fileExtension: encoded.format.fileExtension,
            width: encoded.size.width,
            height: encoded.size.height,
            hash: original.sha256
        )
        let path = recipe.output.path
        return path.finished(path.planned(for: planned), with: facts)
    }
}
