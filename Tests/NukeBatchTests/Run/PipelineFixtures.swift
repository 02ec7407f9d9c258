import Foundation
import Imaging
import JobFixtures
import JobManifest
import JobStorage
import TestSupport

@testable import NukeBatch

/// A destination that writes nothing: outputs of which it was told before are there, the others are made.
struct FakeDestination: OutputDestination {
    /// The names of the outputs of each write.
    let writes = Recorded<[String]>()
    /// The items that released their paths.
    let released = Recorded<Int64>()
    /// The outputs that are there, by name.
    var existing: Set<String> = []
    /// The error of each write.
    var failure: ItemError?

    func write(_ rendering: Rendering, of item: OutputItem) async throws(ItemError) -> [OutputResult] {
        if let failure { throw failure }
        writes.add(rendering.outputs.map(\.recipe.output.name))
        return rendering.outputs.map { rendered in
            switch rendered.result {
            case .encoded(let encoded):
                OutputResult(made: encoded, by: rendered.recipe, of: item.original, path: "made")
            case .skipped(let reason): .skipped(rendered.recipe, reason: reason)
            case .failed(let error): .failed(rendered.recipe, error)
            }
        }
    }

    func split(
        _ recipes: [Recipe],
        known: [OutputResult],
        original: Original
    ) -> (missing: [Recipe], reused: [OutputResult]) {
        (
            recipes.filter { !existing.contains($0.output.name) },
            recipes.filter { existing.contains($0.output.name) }.map { output($0.output.name) }
        )
    }

    func release(_ item: ClaimedItem) {
        released.add(item.itemID)
    }
}

/// The stages of a run of `job`, with a destination in the place of the manifest's.
struct TestPipeline {
    let pipeline: ItemPipeline
    let context: RunContext
    let loader: OriginalLoader

    init(_ job: RunningJob, _ destination: (any OutputDestination)?, program: [String] = []) throws {
        context = job.context()
        loader = try OriginalLoader(context)
        let journal = try InFlightJournal(path: job.path + ".inflight", slots: 4)
        let renderer = renderer(journal)
        let pins = Pins(job.manifest, loader.cache, owner: job.path)
        pipeline = ItemPipeline(
            manifest: job.manifest,
            recipes: try Recipe.all(of: job.manifest, showing: [:]),
            formerParts: try context.store.reader.recipeParts(),
            loader: loader,
            hosts: PerHostLimit(perHost: 10, total: 100),
            renderer: renderer,
            sandbox: SandboxedRenderer(program: program, loader: loader, renderer: renderer, pins: pins),
            destination: destination,
            pins: pins
        )
    }

    /// Runs `item` and returns its outcome, or the error of it.
    func run(_ item: ClaimedItem) async -> Result<ItemOutcome, ItemError> {
        do throws(ItemError) {
            return .success(try await pipeline.run(item))
        } catch {
            return .failure(error)
        }
    }
}
