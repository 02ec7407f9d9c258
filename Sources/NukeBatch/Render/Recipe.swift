import Files
import Foundation
import Imaging
import JobManifest
import JobStorage

/// The recipe of one output for one source: the steps in order, the format, and a digest of both.
struct Recipe: Sendable {
    let output: Output
    /// The processors of the manifest, the source and the output, in this order.
    let chain: OperationChain
    /// The digest of every manifest setting that shapes the output, 32 hexadecimal digits.
    let digest: String
    /// The same digest without the condition, which decides if the output is made but not its contents.
    private let shape: String
    /// The digest of each setting, by its name.
    private let parts: [String: String]

    private init(
        _ output: Output,
        source: Int,
        manifest: Manifest,
        watermarks: [WatermarkImage: Image]
    ) throws(ImagingError) {
        self.output = output
        // A missing plug-in ends the run before its first request.
        for format in output.format.encodings { try format.plugIn?.load() }
        var operations: [any ImageOperation] = []
        for step in manifest.steps(of: output, source: source) {
            operations.append(try step.operation(watermarks))
        }
        chain = OperationChain(operations, limits: ImageLimits(manifest.limits))
        digest = manifest.digest(of: output, source: source)
        shape = manifest.shape(of: output, source: source)
        parts = manifest.partDigests(of: output, source: source)
    }

    /// Returns the recipes of `manifest`, by source; `watermarks` are the images loaded from URLs.
    static func all(
        of manifest: Manifest,
        showing watermarks: [WatermarkImage: Image]
    ) throws(ImagingError) -> [[Recipe]] {
        var recipes: [[Recipe]] = []
        for source in manifest.sources.indices {
            var ofSource: [Recipe] = []
            for output in manifest.outputs {
                let recipe = try Recipe(output, source: source, manifest: manifest, watermarks: watermarks)
                ofSource.append(recipe)
            }
            recipes.append(ofSource)
        }
        return recipes
    }

    /// True if the output is an unchanged copy of the original's bytes.
    var isCopy: Bool { output.format == .original }

    /// Returns a digest that equal originals and equal recipes share, since both determine the output's bytes.
    func specification(originalSHA256: String) -> String {
        Self.specification(originalSHA256: originalSHA256, shape: shape)
    }

    /// The same of the recipe's digest without its condition.
    static func specification(originalSHA256: String, shape: String) -> String {
        Digest.sha256.hex(of: originalSHA256 + shape)
    }

    /// Returns true if an earlier run examined the output `known` for the same original and with the same settings, but for its
    /// place; `former` are the parts of the recipe that it had then.
    ///
    /// An output that was skipped has no digest, and is one of the original that its item has now.
    func differsInPlace(_ known: OutputRecord, former: [String: String]?, originalSHA256: String) -> Bool {
        guard known.name == output.name, known.shardOffset == nil, let former else { return false }
        let isSame = Set(former.keys).union(parts.keys).allSatisfy { name in
            name == OutputRecipe.shape || OutputRecipe.placement.contains(name) || former[name] == parts[name]
        }
        guard isSame, known.state == .done else { return isSame && known.state == .skipped }
        guard let shape = former[OutputRecipe.shape] else { return false }
        return known.spec == Self.specification(originalSHA256: originalSHA256, shape: shape)
    }

    /// Returns the output that an earlier run made of `original`, if its recipe differs at most in the condition.
    func made(_ known: [OutputRecord], of original: Original) -> OutputRecord? {
        let specification = specification(originalSHA256: original.sha256)
        guard
            var made = known.first(where: {
                $0.name == output.name && $0.state == .done && $0.shardOffset == nil
                    && $0.spec == specification
            })
        else { return nil }
        if made.recipe != digest {
            guard !needsPixelsToDecide, let header = try? ImageHeader.read(original.data),
                reasonToSkip(header) == nil
            else { return nil }
            made.recipe = digest
        }
        return made
    }

    /// Returns true if an output of `item` that an earlier run made has the path that it would get now.
    ///
    /// The path changes with the columns in it.
    func leads(to made: OutputRecord, of item: PlannedItem, originalSHA256: String) -> Bool {
        guard made.path != nil, made.shardOffset == nil else { return true }
        return paths(of: made, item: item, originalSHA256: originalSHA256).contains(where: made.isAt)
    }

    /// Returns the paths that an output of `item` which was made before may have now, each once.
    func paths(of made: OutputRecord, item: PlannedItem, originalSHA256: String) -> [String] {
        let planned = output.path.planned(for: item)
        guard !output.path.isKnownInPlanning else { return [planned] }
        // Which extension a copy has is known when it is written.
        let paths = ImageFormat.allCases.map { format in
            let facts = OutputFacts(
                fileExtension: format.fileExtension,
                width: made.width ?? 0,
                height: made.height ?? 0,
                hash: originalSHA256
            )
            return output.path.finished(planned, with: facts)
        }
        return Set(paths).sorted()
    }

    /// Returns the reason to skip the output for an original, or nil if it is to be made.
    func reasonToSkip(_ header: ImageHeader) -> String? {
        let (condition, size) = (output.condition, header.size)
        if let least = condition.minWidth, size.width < least {
            return "narrower than \(least) \(Quantity.noun("pixel", least))"
        }
        if let least = condition.minHeight, size.height < least {
            return "lower than \(least) \(Quantity.noun("pixel", least))"
        }
        let aspect = Double(max(size.width, size.height)) / Double(max(1, min(size.width, size.height)))
        if let most = condition.maxAspect, aspect > most {
            return "longer than \(most) \(most == 1 ? "time" : "times") its shorter side"
        }
        let types = condition.types.map(\.rawValue)
        if !types.isEmpty, !types.contains(header.format.rawValue) {
            return "of type \(header.format.rawValue)"
        }
        guard condition.widerThan != nil, !needsPixelsToDecide, !header.format.isDrawnPerOutput else {
            return nil
        }
        // A size that cannot be computed is an obstacle, not a reason to skip.
        return (try? unresized.outputSize(for: size)).flatMap { reasonToSkip(width: $0.width) }
    }

    /// Returns the reason to skip the output for an original of `bytes`, or nil if it is to be made.
    func reasonToSkip(bytes: Int) -> String? {
        output.condition.minBytes.flatMap {
            bytes < $0 ? "smaller than \($0) \(Quantity.noun("byte", $0))" : nil
        }
    }

    /// Returns the reason to skip an output of `widths` for an image of this width before the last resize.
    func reasonToSkip(width: Int) -> String? {
        guard let least = output.condition.widerThan, width <= least else { return nil }
        return OutputRecord.width
    }

    /// True if only the pixels decide whether an output of `widths` is skipped.
    var needsPixelsToDecide: Bool {
        output.condition.widerThan != nil && unresized.operations.contains(where: \.isSizedByPixels)
    }

    /// The operations on an original: a drawing has each size that is asked for.
    func chain(of header: ImageHeader) -> OperationChain {
        header.format.isDrawnPerOutput ? chain.enlarging : chain
    }

    /// The operations before the last one, which is the resize of an output of `widths`.
    var unresized: OperationChain { OperationChain(chain.operations.dropLast(), limits: chain.limits) }

    /// Returns the error that refuses the brightness of an original, or nil if there is none.
    func refusal(of header: ImageHeader) -> ImagingError? {
        guard !isCopy else { return nil }
        do {
            try header.check(output.hdr)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the error that keeps the output from being made of an original with this header, or nil if there is none.
    func obstacle(_ header: ImageHeader) -> ImagingError? {
        if let refusal = refusal(of: header) { return refusal }
        do {
            let chain = chain(of: header)
            try header.checkDrawing(covering: try chain.coveringSize(for: header.size), chain.limits)
            _ = try chain.memoryCost(of: header.size, originalSize: header.size, bitDepth: 8, for: nil)
            return nil
        } catch {
            return error
        }
    }

    /// Returns true if the output is drawn from the original's pixels: it is no copy, is not skipped, and can be made.
    func needsPixels(of header: ImageHeader) -> Bool {
        !isCopy && reasonToSkip(header) == nil && obstacle(header) == nil
    }

    /// Returns the formats in which an original with this header is encoded, of which the smallest file is taken; only for outputs
    /// that are not copies.
    func encodings(of header: ImageHeader) -> [EncodingFormat] {
        let formats = output.format.encodings
        return formats.isEmpty ? [ownEncoding(of: header)] : formats
    }

    /// Returns the one format in which an original with this header is encoded; nil where one of several is taken.
    func onlyEncoding(of header: ImageHeader) -> EncodingFormat? {
        let formats = encodings(of: header)
        return formats.count == 1 ? formats[0] : nil
    }

    /// The source's own format, or one that preserves its alpha channel.
    private func ownEncoding(of header: ImageHeader) -> EncodingFormat {
        if conversion(of: header) != nil { return .webp() }
        switch header.format {
        case .jpeg: return .jpeg()
        case .png: return .png()
        case .webp: return .webp()
        case .avif where ImageEncoder.formats.contains(.avif): return .avif()
        case .jxl where ImageEncoder.formats.contains(.jxl): return .jxl()
        default: return header.hasAlpha ? .png() : .jpeg()
        }
    }
}
