import Foundation
import JobStorage
import Nuke

/// The life of one item: load, decode, process and encode, write.
///
/// The recorder writes down what comes of it. Nuke's pipeline gives the original's bytes; they are decoded once, as small as the largest output allows, and
/// every output is derived from that one decode.
struct ItemPipeline: Sendable {
    let manifest: Manifest
    let recipes: [[Recipe]]
    let loader: OriginalLoader
    let hosts: HostRoom
    let pixels: PixelWork
    let suspects: SuspectLane
    let destination: (any OutputDestination)?
    let pins: Pins?

    /// Makes the outputs of `item` that are still to be made; those that failed are among the outcome's.
    /// - Throws: `ItemError` where nothing could be made of the original.
    func run(_ item: ClaimedItem) async throws(ItemError) -> ItemOutcome {
        let original = try await loader.load(item)
        hosts.leaveHost(item)
        if manifest.leavesOut(original) { return try await leaveOut(item, original) }
        let recipes = recipes[item.source]
        let (missing, reused) =
            destination?.split(recipes, known: item.outputs, original: original) ?? (recipes, [])
        let search = FactSearch(manifest.facts, of: item, original)
        do throws(ItemError) {
            let (pictures, facts) = try await make(missing, search, from: original, of: item)
            original.place?.process(into: pictures.reduce(0) { $0 + $1.bytes })
            let planned = PlannedItem(item, of: manifest)
            let outputs =
                try await destination?.write(pictures, of: item, planned, original: original, facts: facts)
                ?? []
            try await original.waitUntilDurable(inWarming: destination == nil)
            try await pins?.keep(original)
            return ItemOutcome(
                item: item,
                original: original,
                outputs: outputs,
                reused: reused,
                facts: facts
            )
        } catch {
            // What cannot be decoded is not kept: another try is to load it anew.
            if let key = original.cacheKey, error.isAboutBytes { loader.cache?.removeData(for: key) }
            throw error
        }
    }

    /// Pixels and encodings.
    private func make(
        _ recipes: [Recipe],
        _ search: FactSearch,
        from original: Original,
        of item: ClaimedItem
    ) async throws(ItemError) -> (pictures: [Picture], facts: ItemFacts?) {
        let needsNothing = recipes.isEmpty && search.isDone
        if item.crashes > 0, !needsNothing {
            return try await suspects.make(recipes, search, from: original, of: item)
        }
        do throws(ItemError) {
            return try await pixels.make(recipes, search, from: original, of: item.itemID)
        } catch {
            guard error.handling == .suspect else { throw error }
            return try await suspects.make(recipes, search, from: original, of: item)
        }
    }
}

extension ItemError {
    /// Whether the original's own bytes are to blame.
    fileprivate var isAboutBytes: Bool {
        ["corrupt", "truncated", "wrong_type"].contains(code)
    }
}
