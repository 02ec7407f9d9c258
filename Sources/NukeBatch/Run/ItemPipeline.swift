import Files
import Originals
import JobManifest
import JobPlanning
import JobStorage

/// The stages of one item in order: load, then render (decode, process, encode), then write.
///
/// An original is decoded once, as small as its largest output allows; every output is derived from that decode. The
/// executor records the outcome.
struct ItemPipeline: Sendable {
    let manifest: Manifest
    /// The recipes of each source, in the manifest's order.
    let recipes: [[Recipe]]
    /// The parts of all recipes that the state knows, by the recipes' digests.
    let formerParts: [String: [String: String]]
    var loader: OriginalLoader
    let hosts: PerHostLimit
    let renderer: Renderer
    let sandbox: SandboxedRenderer
    /// Nil for a manifest without outputs, which only loads originals.
    let destination: (any OutputDestination)?
    let pins: Pins?

    /// Makes the missing outputs of `item`; outputs that failed are part of the outcome.
    /// - Throws: `ItemError` if no output can be made of the original.
    func run(_ item: ClaimedItem) async throws(ItemError) -> ItemOutcome {
        let original = try await load(item)
        do throws(ItemError) {
            let attributed = try attributing(item, to: original)
            let place = OutputItem(
                claimed: attributed,
                planned: PlannedItem(item, of: manifest),
                original: original
            )
            let plan = try await plan(place)
            let rendering = try await render(plan, from: original, of: item)
            let outputs = try await write(rendering, plan, of: place)
            try await keep(original)
            let facts = rendering.facts
            var outcome = ItemOutcome(
                item: item,
                original: original,
                plan: plan,
                outputs: outputs,
                facts: facts
            )
            outcome.attributed = attributed.outputs.filter { !item.outputs.contains($0) }
            return outcome
        } catch {
            throw forget(original, of: item, because: error)
        }
    }

    /// Returns the outputs of an item that needs no original, because they were found elsewhere or are not made; otherwise nil.
    /// - Throws: `ItemError` for a problem that no output caused.
    func withoutOriginal(_ item: ClaimedItem) async throws(ItemError) -> (
        reused: [OutputRecord], decided: [OutputRecord]
    )? {
        if let outputs = colliding(item) { return ([], outputs) }
        if let outputs = try await forbidden(item) { return ([], outputs) }
        if let moved = try await moved(item) { return moved }
        return duplicatesWithoutOriginal(item).map { ([], $0) }
    }

    /// Returns the outputs of an item that its origin's robots.txt forbids; otherwise nil.
    /// - Throws: `ItemError` if the robots.txt cannot be had.
    func forbidden(_ item: ClaimedItem) async throws(ItemError) -> [OutputRecord]? {
        guard try await loader.isForbidden(item) else { return nil }
        return recipes[item.source].map { .skipped($0, reason: Manifest.robots) }
    }

    /// The same pipeline in a run that has seen the originals of its items: it does not ask their origins again.
    var afterSeeingOriginals: ItemPipeline {
        var pipeline = self
        pipeline.loader.trustsCache = true
        return pipeline
    }

    /// Releases the output paths that the item holds, once it is recorded.
    func release(_ item: ClaimedItem) {
        destination?.release(item)
    }

    /// Returns the original; from then on the item no longer counts at its host.
    func load(_ item: ClaimedItem) async throws(ItemError) -> Original {
        let original = try await loader.load(item)
        hosts.leaveHost(item)
        return original
    }

    /// Compares the manifest's outputs and facts with those that earlier runs made from the same bytes.
    ///
    /// Outputs that are skipped because of what stands at their paths are found here where that spares rendering them.
    private func plan(_ place: OutputItem) async throws(ItemError) -> OutputPlan {
        let (item, original) = (place.claimed, place.original)
        let recipes = recipes[item.source]
        if manifest.excludes(original) { return OutputPlan(skipping: recipes, reason: Manifest.optOut) }
        let facts = FactExtractor(manifest.facts, of: item, original)
        if let duplicates = duplicates(item, of: original.sha256) {
            return OutputPlan(recipes: [], decided: duplicates, facts: facts)
        }
        guard let destination else { return OutputPlan(recipes: recipes, facts: facts) }
        var (free, decided) = divide(recipes, of: item)
        free.removeAll { recipe in
            guard let reason = recipe.reasonToSkip(bytes: original.data.count) else { return false }
            decided.append(.skipped(recipe, reason: reason))
            return true
        }
        let known = outputs(of: place, at: recipes)
        var (missing, reused) = destination.split(free, known: known, original: original)
        let moved = try await moved(missing, of: item, originalSHA256: original.sha256)
        missing.removeAll { recipe in moved.contains { $0.name == recipe.output.name } }
        reused += moved
        let existing = try await destination.existing(missing, of: place)
        return OutputPlan(
            recipes: missing.filter { recipe in !existing.contains { $0.name == recipe.output.name } },
            reused: reused,
            decided: decided + existing,
            facts: facts
        )
    }

    /// Returns the recorded outputs of `item` whose recipes still lead to their paths.
    private func outputs(of place: OutputItem, at recipes: [Recipe]) -> [OutputRecord] {
        place.claimed.outputs.filter { made in
            recipes.contains {
                $0.output.name == made.name
                    && $0.leads(to: made, of: place.planned, originalSHA256: place.original.sha256)
            }
        }
    }

    /// Decodes, processes and encodes.
    ///
    /// This happens in a sandbox if an earlier run crashed on the item, or if a stage exceeds its time limit.
    func render(
        _ plan: OutputPlan,
        from original: Original,
        of item: ClaimedItem
    ) async throws(ItemError) -> Rendering {
        guard !plan.isEmpty else {
            try await loader.checkSuccessor(original)
            return Rendering(outputs: [], facts: plan.facts.recorded)
        }
        if item.crashes == 0 {
            do throws(ItemError) {
                return try await renderer.render(plan, from: original, of: item.itemID)
            } catch {
                guard error.handling == .suspect else { throw error }
            }
        }
        return try await sandbox.render(plan, from: original, of: item)
    }

    /// Writes the rendered outputs durably.
    private func write(
        _ rendering: Rendering,
        _ plan: OutputPlan,
        of place: OutputItem
    ) async throws(ItemError) -> [OutputRecord] {
        let original = place.original
        original.reservation?.process(into: rendering.bytes)
        defer {
            // Outputs have been written: a copy has read the original's file, whose pages are no longer needed.
            original.mapping?.releaseMemory()
            rendering.lease?.keep(0)
        }
        guard let destination, !plan.recipes.isEmpty || plan.decided.isEmpty else { return plan.decided }
        return try await destination.write(rendering, of: place) + plan.decided
    }

    /// Waits until the original is durable in the cache, and pins it if the run only warms the cache.
    func keep(_ original: Original) async throws(ItemError) {
        let isStored = try await original.waitUntilDurable(inWarming: destination == nil)
        // One that was loaded now was pinned when it was stored.
        if !isStored || original.source != .network { try await pins?.keep(original) }
    }

    /// Returns the error of an original's bytes as a user needs it; the next attempt loads the original again.
    func forget(_ original: Original, of item: ClaimedItem, because error: ItemError) -> ItemError {
        if error.isAboutBytes { loader.forget(original) }
        guard error.code == .wrongType else { return error }
        let url = manifest.redaction.redacted(
            url: original.metadata?.finalURL ?? manifest.target(of: item.url)
        )
        let type = original.metadata?.contentType.map { ", sent as \($0)" } ?? ""
        return ItemError(
            .wrongType,
            "\(url)\(type): \(error.message)",
            handling: error.handling,
            status: error.status
        )
    }
}

extension ItemError {
    /// True if the original's bytes caused the error.
    fileprivate var isAboutBytes: Bool { [ErrorCode.corrupt, .truncated, .wrongType].contains(code) }
}
