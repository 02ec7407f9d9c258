import Files
import JobManifest
import JobPlanning

extension OutputPathClaims {
    /// Claims all paths of an item's sets of pictures before any of them is written: a set is of one original, so that an item
    /// which cannot have one of the paths gets none of them.
    ///
    /// These are the sets that planning could not decide about, since the format follows the original.
    /// - Returns: The error for all pictures of the sets; nil if the item has their paths.
    /// - Throws: `ItemError` of another code than `collision`.
    func takeSets(
        of rendering: Rendering,
        _ item: OutputItem,
        for claimant: Claimant,
        isTaken: (String) throws(FileError) -> Bool
    ) async throws(ItemError) -> ItemError? {
        for output in rendering.outputs where output.recipe.output.path.isSetDecidedInWriting {
            guard case .encoded(let encoded) = output.result else { continue }
            let path = item.path(of: encoded, by: output.recipe)
            do {
                try await take(
                    path,
                    sha256: encoded.sha256,
                    for: claimant,
                    distinction: output.recipe.output.path.missingDistinction
                ) { () throws(FileError) in try isTaken(path) }
            } catch {
                let error = ItemError(error)
                guard error.code == .collision else { throw error }
                return error
            }
        }
        return nil
    }
}
