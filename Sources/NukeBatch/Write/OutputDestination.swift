import Files
import JobManifest
import JobPlanning
import JobStorage

/// A destination of outputs: separate files, or the shards of a dataset.
protocol OutputDestination: Sendable {
    /// Writes the outputs of `item` durably; the result has an entry for each output made, skipped or failed.
    /// - Throws: `ItemError` for a local problem, which no output caused.
    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputResult]

    /// Divides recipes into those to render and those whose outputs earlier runs made from the same bytes.
    func split(
        _ recipes: [Recipe],
        known: [OutputResult],
        original: Original
    ) -> (missing: [Recipe], reused: [OutputResult])

    /// Releases the paths of an item that is recorded or given up.
    func release(_ item: ClaimedItem)

    /// Checks that the destination is still where the run found it.
    /// - Throws: `ItemError` for a local problem if it is not.
    func check() throws(ItemError)

    /// Removes what is needed only for writing; call it after the last write.
    func close()
}

extension OutputDestination {
    /// Does nothing: by default, items hold no paths.
    func release(_ item: ClaimedItem) {}

    /// Does nothing: by default, a destination has no place.
    func check() throws(ItemError) {}

    /// Does nothing: by default, nothing is needed.
    func close() {}
}

extension Folder {
    /// Checks that the destination's path still leads to this folder, which the run has opened.
    /// - Throws: `ItemError` for a local problem if it does not.
    func requirePlace() throws(ItemError) {
        guard !isInPlace else { return }
        throw ItemError(
            .local,
            """
            the destination \(path) was renamed, removed or replaced during the run: put it back and run again; \
            if outputs are lost, verify --repair makes them again
            """
        )
    }
}

/// An item whose outputs are written.
struct OutputItem: Sendable {
    /// The item as recorded in the state.
    let claimed: ClaimedItem
    /// The item as planned from its row, from which its paths are made.
    let planned: PlannedItem
    let original: Original
}
