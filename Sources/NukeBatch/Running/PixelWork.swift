import Files
import Foundation
import Imaging
import Nuke

/// The stages "decode", "process" and "encode": an original is decoded once, and each recipe makes its picture of that.
struct PixelWork: Sendable {
    let admission: Admission
    let decoding: WorkQueue
    let processing: WorkQueue
    let encoding: WorkQueue
    let limits: ImageLimits
    /// Where it is noted what is being worked on.
    let box: BlackBox
    /// Gives up what does not end; nil where something else does.
    let watchdog: Watchdog?
    /// Called as each stage begins, with the bytes that the image may take.
    var onStage: @Sendable (_ bytes: Int) -> Void = { _ in }

    /// The pictures, one for each recipe in their order, and the facts; a recipe that fails takes no other with it.
    ///
    /// `item` is the row of the item. An `alone` one is decoded while no other is.
    /// - Throws: `ItemError` where the original itself is no image, is damaged or passes a limit.
    func make(
        _ recipes: [Recipe],
        _ search: FactSearch,
        from original: Original,
        of item: Int64,
        alone: Bool = false
    ) async throws(ItemError) -> (pictures: [Picture], facts: ItemFacts?) {
        guard !recipes.isEmpty || !search.isDone else { return ([], search.recorded) }
        do {
            let header = try noting(item) { try ImageHeader.read(original.data) }
            try header.check(limits)
            let drawn = recipes.filter { !$0.isCopy && $0.reasonToSkip(header) == nil }
            let chains = drawn.map(\.chain) + search.chains
            guard !chains.isEmpty else {
                let pictures = recipes.map { $0.picture(copying: original, header) }
                return (pictures, try noting(item) { try search.find(in: original, header) })
            }
            let covering = try Self.covering(chains, header)
            let bitDepth = drawn.contains { $0.encoding(of: header).keepsDepth } ? 16 : 8
            let decode = header.decodeCost(covering: covering, bitDepth: bitDepth)
            guard decode <= admission.memory else {
                let (size, megabytes) = (header.size, decode / 1_000_000 + 1)
                throw ItemError(
                    "limits",
                    "decoding \(size) takes \(megabytes) MB: raise limits.memory to allow it"
                )
            }
            let work = try Self.workCost(
                drawn.map { ($0.chain, $0.encoding(of: header)) } + search.chains.map { ($0, nil) },
                header,
                covering,
                bitDepth
            )
            let bytes = max(decode, work)
            return try await admission.admit(alone ? .max : bytes) {
                let slot = box.enter(item, .decode)
                defer { box.leave(slot) }
                let stages = Stages(work: self, slot: slot, bytes: bytes)
                let image = try await stages.run(.decode, on: decoding) {
                    try ImageDecoder.decode(
                        original.data,
                        header: header,
                        covering: covering,
                        bitDepth: bitDepth,
                        limits: limits
                    )
                }
                let facts =
                    search.isDone
                    ? search.recorded
                    : try await stages.run(.process, on: processing) {
                        try search.find(in: original, header, image)
                    }
                var pictures: [Picture] = []
                for recipe in recipes {
                    pictures.append(try await picture(recipe, of: image, header, original, stages))
                }
                return (pictures, facts)
            }
        } catch {
            throw original.explain(error)
        }
    }

    /// Work that needs no pixels, and so no admission.
    private func noting<Value>(_ item: Int64, _ work: () throws -> Value) rethrows -> Value {
        let slot = box.enter(item, .header)
        defer { box.leave(slot) }
        return try work()
    }

    /// The most bytes that the decode and what is made of it hold at once; a bound, so that it refuses nothing.
    private static func workCost(
        _ chains: [(OperationChain, EncodingFormat?)],
        _ header: ImageHeader,
        _ covering: PixelSize?,
        _ bitDepth: Int
    ) throws(ImagingError) -> Int {
        let size = header.decodedSize(covering: covering, bitDepth: bitDepth)
        var most = 0
        for (chain, format) in chains {
            let cost = try chain.memoryCost(
                of: size,
                originalSize: header.size,
                bitDepth: bitDepth,
                for: format
            )
            most = max(most, cost)
        }
        return size.area.multipliedClamping(by: 4 * bitDepth / 8).addingClamping(most)
    }

    private func picture(
        _ recipe: Recipe,
        of image: Image,
        _ header: ImageHeader,
        _ original: Original,
        _ stages: Stages
    ) async throws -> Picture {
        if recipe.isCopy || recipe.reasonToSkip(header) != nil {
            return recipe.picture(copying: original, header)
        }
        let format = recipe.encoding(of: header)
        do {
            let processed = try await stages.run(.process, on: processing) {
                try recipe.chain.apply(to: image, originalSize: header.size, for: format)
            }
            let encoded = try await stages.run(.encode, on: encoding) {
                let metadata = ImageMetadata(
                    of: original.data,
                    header,
                    keeping: recipe.output.metadata,
                    size: processed.size
                )
                return try encode(processed, recipe, format, metadata)
            }
            return Picture(recipe: recipe, result: .encoded(encoded))
        } catch let error as ImagingError {
            let failure = ItemError(error)
            guard failure.handling == .permanent else { throw failure }
            return Picture(recipe: recipe, result: .failed(failure))
        }
    }

    private func encode(
        _ image: Image,
        _ recipe: Recipe,
        _ format: EncodingFormat,
        _ metadata: ImageMetadata?
    ) throws(ImagingError) -> Picture.Encoded {
        let data = try ImageEncoder.encode(
            image,
            as: format,
            background: recipe.output.background,
            metadata: metadata
        )
        return Picture.Encoded(
            data: data,
            sha256: Digest.sha256.hex(of: data),
            size: image.size,
            fileExtension: format.imageFormat.fileExtension,
            encoder: ImageEncoder.version(of: format)
        )
    }

    /// The size that covers what every chain needs; nil where one needs every pixel.
    private static func covering(
        _ chains: [OperationChain],
        _ header: ImageHeader
    ) throws(ImagingError) -> PixelSize? {
        var covering = PixelSize(width: 1, height: 1)
        for chain in chains {
            guard let needed = try chain.coveringSize(for: header.size) else { return nil }
            covering.width = max(covering.width, needed.width)
            covering.height = max(covering.height, needed.height)
        }
        return covering
    }
}

/// The stages of one image that was admitted: each is noted in the black box and has its time.
private struct Stages: Sendable {
    let work: PixelWork
    let slot: BlackBox.Slot?
    let bytes: Int

    func run<Value: Sendable>(
        _ phase: PixelPhase,
        on queue: WorkQueue,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        work.box.note(phase, in: slot)
        work.onStage(bytes)
        guard let watchdog = work.watchdog else { return try await queue.run(body) }
        return try await watchdog.run(within: Watchdog.seconds(for: bytes), on: queue, body)
    }
}

extension Recipe {
    /// The picture of an original that needs no pixels: a copy of its bytes, or none with the reason.
    fileprivate func picture(copying original: Original, _ header: ImageHeader) -> Picture {
        if let reason = reasonToSkip(header) { return Picture(recipe: self, result: .skipped(reason)) }
        let encoded = Picture.Encoded(
            data: original.data,
            sha256: original.sha256,
            size: header.size,
            fileExtension: header.format.fileExtension,
            encoder: nil
        )
        return Picture(recipe: self, result: .encoded(encoded))
    }
}
