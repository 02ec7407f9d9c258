import Files
import Foundation
import Imaging
import JobManifest
import JobPlanning

/// The stages "decode", "process" and "encode".
///
/// An original is decoded once, and a drawing once for each size; each recipe renders its output from that decode.
struct Renderer: Sendable {
    let admission: Admission
    /// The most memory that one decode may take, in bytes.
    let memory: Int
    /// The queue that reads headers.
    let reading: WorkQueue
    let decoding: WorkQueue
    let processing: WorkQueue
    let encoding: WorkQueue
    let limits: ImageLimits
    /// Records the items that are being rendered.
    let journal: InFlightJournal
    /// Gives up on stages that do not end; nil in a sandbox, where kernel limits apply.
    let watchdog: Watchdog?
    /// Called at the start of each stage, with the bytes of memory and the seconds that the image may take.
    var onStage: @Sendable (_ bytes: Int, _ seconds: Int) -> Void = { _, _ in }

    /// Renders the outputs of `plan` and extracts its facts.
    ///
    /// A recipe that fails does not affect the others. The result keeps the memory of its outputs until it is released.
    /// `item` is the row of the item. If `alone` is true, no other image is rendered at the same time.
    /// - Throws: `ItemError` if the original is not an image, is damaged or exceeds a limit.
    func render(
        _ plan: OutputPlan,
        from original: Original,
        of item: Int64,
        alone: Bool = false
    ) async throws(ItemError) -> Rendering {
        do {
            let header = try await header(of: original, item)
            try header.check(limits)
            try plan.check(header)
            guard let need = try DecodeNeed(plan, header) else {
                try await checkEnd(of: original, header: header, plan, item: item)
                return try await renderWithoutPixels(plan, from: original, header: header, of: item)
            }
            do {
                return try await admitted(
                    plan,
                    from: original,
                    header: header,
                    need: need,
                    of: item,
                    alone: alone
                )
            } catch let error as ImagingError where error.reason == .limits {
                // The lease is given back by now: waiting for a larger one with it in hand could wait for ever.
                guard let larger = try DecodeNeed(plan, header, isUnusual: true),
                    larger.decodeBytes > need.decodeBytes
                else { throw error }
                return try await admitted(
                    plan,
                    from: original,
                    header: header,
                    need: larger,
                    of: item,
                    alone: alone
                )
            }
        } catch {
            throw original.explain(error)
        }
    }

    /// Renders once there is memory for it.
    private func admitted(
        _ plan: OutputPlan,
        from original: Original,
        header: ImageHeader,
        need: DecodeNeed,
        of item: Int64,
        alone: Bool
    ) async throws -> Rendering {
        guard need.decodeBytes <= memory else {
            throw ItemError(
                .limits,
                """
                decoding \(header.size) takes \(need.decodeBytes / 1_000_000 + 1) MB: raise limits.memory to allow it
                """
            )
        }
        let bytes = need.bytes.addingClamping(original.fileBytes)
        let lease = try await admission.lease(alone ? .max : bytes)
        var rendering = try await render(plan, from: original, header: header, need: need, of: item)
        rendering.keep(lease, of: original)
        return rendering
    }

    private func render(
        _ plan: OutputPlan,
        from original: Original,
        header: ImageHeader,
        need: DecodeNeed,
        of item: Int64
    ) async throws -> Rendering {
        let slot = journal.enter(item, .decode)
        defer { journal.leave(slot) }
        let stages = RenderStages(renderer: self, slot: slot, bytes: need.bytes)
        var (covering, source) = (PixelSize?.none, DecodedOriginal?.none)
        func decoded(for recipes: [Recipe], _ facts: FactExtractor) async throws -> DecodedOriginal {
            // A drawing has other pixels at each size.
            let own =
                header.format.isDrawnPerOutput
                ? try DecodeNeed(OutputPlan(recipes: recipes, facts: facts), header) : nil
            if let source, own == nil || own?.covering == covering { return source }
            source = nil
            covering = (own ?? need).covering
            let image = try await decode(original, header: header, need: own ?? need, on: stages)
            let decoded = DecodedOriginal(original: original, header: header, image: image)
            source = decoded
            return decoded
        }
        let facts = try await facts(plan.facts, of: try await decoded(for: [], plan.facts), on: stages)
        var outputs: [RenderedOutput] = []
        for recipe in plan.recipes {
            let source = try await decoded(for: [recipe], .none)
            outputs.append(try await output(recipe, of: source, on: stages))
        }
        let warnings = outputs.reduce(into: Set<ImageWarning>()) { $0.formUnion($1.warnings) }
        return Rendering(
            outputs: outputs,
            facts: plan.facts.adding(outputs, to: plan.facts.adding(warnings, to: facts))
        )
    }

    /// Reads the header.
    ///
    /// Of an original in a file, pages are loaded for it, which needs admission.
    private func header(of original: Original, _ item: Int64) async throws -> ImageHeader {
        let read: @Sendable () throws -> ImageHeader = { try original.readHeader() }
        guard let mapping = original.mapping else { return try await noting(item, read) }
        return try await admission.admit(mapping.count) {
            defer { mapping.releaseMemory() }
            return try await noting(item) {
                try mapping.load()
                return try read()
            }
        }
    }

    /// Decodes an original whose transfer may have been cut off unnoticed, and of which no output needs the pixels.
    /// - Throws: `ImagingError` if the image ends early; other damage, and what cannot be decoded, does not concern a copy.
    private func checkEnd(
        of original: Original,
        header: ImageHeader,
        _ plan: OutputPlan,
        item: Int64
    ) async throws {
        guard original.mayBeCutOff, !header.format.isDrawnPerOutput,
            let need = try? DecodeNeed(plan, header, checksEnd: true), need.decodeBytes <= memory
        else { return }
        try await admission.admit(need.decodeBytes.addingClamping(original.fileBytes)) {
            let slot = journal.enter(item, .decode)
            defer { journal.leave(slot) }
            let stages = RenderStages(renderer: self, slot: slot, bytes: need.decodeBytes)
            do {
                _ = try await decode(original, header: header, need: need, on: stages)
            } catch let error as ImagingError where error.reason != .truncated {}
        }
    }

    /// Renders a plan that needs no pixels; only an original in a file needs admission then, to be copied.
    private func renderWithoutPixels(
        _ plan: OutputPlan,
        from original: Original,
        header: ImageHeader,
        of item: Int64
    ) async throws -> Rendering {
        let lease = original.mapping == nil ? nil : try await admission.lease(original.fileBytes)
        let outputs = plan.recipes.map { $0.withoutPixels(of: original, header) }
        let facts =
            plan.facts.hasWork(on: nil, header)
            ? try await noting(item) { try plan.facts.find(in: original, header) } : plan.facts.recorded
        var rendering = Rendering(outputs: outputs, facts: plan.facts.adding(outputs, to: facts))
        if let lease { rendering.keep(lease, of: original) }
        return rendering
    }

    /// Runs work on a header within the time limit, recorded in the journal.
    private func noting<Value: Sendable>(
        _ item: Int64,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let slot = journal.enter(item, .header)
        defer { journal.leave(slot) }
        guard let watchdog else { return try await reading.run(work) }
        return try await watchdog.run(within: Watchdog.seconds(for: 0), on: reading, work)
    }

    private func decode(
        _ original: Original,
        header: ImageHeader,
        need: DecodeNeed,
        on stages: RenderStages
    ) async throws -> Image {
        var limits = limits
        limits.maxMemory = need.decodeBytes
        // The work of a drawing does not follow from its pixels.
        let most = header.format.isDrawnPerOutput ? Watchdog.drawing : .max
        return try await stages.run(.decode, on: decoding, atMost: most) { [limits] in
            try original.mapping?.load()
            return try ImageDecoder.decode(
                original.data,
                header: header,
                covering: need.covering,
                bitDepth: need.bitDepth,
                // Outputs that do not ask for it have no part in this; facts are about what a standard screen shows.
                hdr: .tonemap,
                limits: limits
            )
        }
    }

    private func facts(
        _ extractor: FactExtractor,
        of source: DecodedOriginal,
        on stages: RenderStages
    ) async throws -> ItemFacts? {
        guard extractor.hasWork(on: source.image, source.header) else { return extractor.recorded }
        return try await stages.run(.process, on: processing) {
            try extractor.find(in: source.original, source.header, source.image)
        }
    }

    /// Processes and encodes one output.
    private func output(
        _ recipe: Recipe,
        of source: DecodedOriginal,
        on stages: RenderStages
    ) async throws -> RenderedOutput {
        let header = source.header
        guard recipe.needsPixels(of: header) else { return recipe.withoutPixels(of: source.original, header) }
        do {
            if let conversion = recipe.conversion(of: header) {
                return try await stages.run(.encode, on: encoding, work: conversion.work) {
                    [admission] in
                    try recipe.animate(source.original, header: header, by: conversion, admission.checkTime)
                }
            }
            let processed = try await stages.run(.process, on: processing) {
                try recipe.process(source)
            }
            let image: ProcessedImage
            switch processed {
            case .image(let processed): image = processed
            case .skipped(let reason): return RenderedOutput(recipe: recipe, result: .skipped(reason))
            }
            let work = stages.bytes.multipliedClamping(by: recipe.encodings(of: header).count)
            let encoded = try await stages.run(.encode, on: encoding, work: work) {
                try recipe.encode(image, metadataOf: source)
            }
            return RenderedOutput(recipe: recipe, result: .encoded(encoded))
        } catch let error as ImagingError {
            let failure = ItemError(error)
            guard failure.handling == .permanent else { throw failure }
            return RenderedOutput(recipe: recipe, result: .failed(failure))
        }
    }
}

extension Rendering {
    /// Keeps the part of `lease` that the outputs need until they are written.
    fileprivate mutating func keep(_ lease: Admission.Lease, of original: Original) {
        let hasCopy = outputs.contains { output in
            if case .encoded = output.result { output.recipe.isCopy } else { false }
        }
        if !hasCopy { original.mapping?.releaseMemory() }
        lease.keep(bytes.addingClamping(hasCopy ? original.fileBytes : 0))
        self.lease = lease
    }
}

extension Original {
    /// The bytes that take memory only while they are used.
    fileprivate var fileBytes: Int { mapping?.count ?? 0 }
}

/// An original with its decoded image, from which all outputs are rendered.
struct DecodedOriginal: Sendable {
    let original: Original
    let header: ImageHeader
    let image: Image
}

/// The stages of one admitted image; each is recorded in the journal and has a time limit.
private struct RenderStages: Sendable {
    let renderer: Renderer
    let slot: InFlightJournal.Slot?
    let bytes: Int

    /// Runs a stage that holds `bytes` for at most `most` seconds; `work` are the bytes that it goes through, if they are more.
    func run<Value: Sendable>(
        _ phase: RenderPhase,
        on queue: WorkQueue,
        work: Int = 0,
        atMost most: Int = .max,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try renderer.admission.checkTime()
        renderer.journal.note(phase, in: slot)
        let seconds = min(most, Watchdog.seconds(for: max(bytes, work)))
        renderer.onStage(bytes, seconds)
        guard let watchdog = renderer.watchdog else { return try await queue.run(body) }
        return try await watchdog.run(within: seconds, on: queue, body)
    }
}
