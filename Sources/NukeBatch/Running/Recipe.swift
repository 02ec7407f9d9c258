import Files
import Foundation
import Imaging
import JobStorage

/// What one output makes of the items of one source: the steps in order, the format, and a digest of both.
struct Recipe: Sendable {
    let output: Output
    /// The processors of the manifest, the source and the output, in this order.
    let chain: OperationChain
    /// The digest of everything of the manifest that shapes the output, 32 hexadecimal digits.
    let digest: String
    /// The same without the condition, which decides whether there is an output, and not what it is.
    private let shape: String

    private init(
        _ output: Output,
        source: Int,
        manifest: Manifest,
        pictures: [ManifestPicture: Image]
    ) throws(ImagingError) {
        self.output = output
        var operations: [any ImageOperation] = []
        for step in manifest.steps(of: output, source: source) {
            operations.append(try step.operation(pictures))
        }
        chain = OperationChain(operations, limits: ImageLimits(manifest.limits))
        digest = manifest.digest(of: output, source: source)
        var unconditional = output
        unconditional.condition = OutputCondition()
        shape = manifest.digest(of: unconditional, source: source)
    }

    /// The recipes of `manifest`, for each source its outputs; `pictures` are those that had to be loaded.
    static func all(
        of manifest: Manifest,
        showing pictures: [ManifestPicture: Image]
    ) throws(ImagingError) -> [[Recipe]] {
        var recipes: [[Recipe]] = []
        for source in manifest.sources.indices {
            var ofSource: [Recipe] = []
            for output in manifest.outputs {
                let recipe = try Recipe(output, source: source, manifest: manifest, pictures: pictures)
                ofSource.append(recipe)
            }
            recipes.append(ofSource)
        }
        return recipes
    }

    /// Whether the output is the original's bytes as they came.
    var isCopy: Bool {
        output.format == .original
    }

    /// What equal originals and equal recipes share: the digest of both, as the bytes of the output follow from them.
    func specification(originalSHA256: String) -> String {
        Digest.sha256.hex(of: originalSHA256 + shape)
    }

    /// What an earlier run made of `original` under this recipe, or under one that differs in its condition alone.
    func made(_ known: [OutputResult], of original: Original) -> OutputResult? {
        let specification = specification(originalSHA256: original.sha256)
        guard
            var made = known.first(where: {
                $0.name == output.name && $0.state == .done && $0.shardOffset == nil
                    && $0.spec == specification
            })
        else { return nil }
        if made.recipe != digest {
            guard let header = try? ImageHeader.read(original.data), reasonToSkip(header) == nil else {
                return nil
            }
            made.recipe = digest
        }
        return made
    }

    /// Why the output is not made of an original, nil if it is.
    func reasonToSkip(_ header: ImageHeader) -> String? {
        let (condition, size) = (output.condition, header.size)
        if let least = condition.minWidth, size.width < least { return "narrower than \(least) pixels" }
        if let least = condition.minHeight, size.height < least { return "lower than \(least) pixels" }
        let aspect = Double(max(size.width, size.height)) / Double(max(1, min(size.width, size.height)))
        if let most = condition.maxAspect, aspect > most {
            return "longer than \(most) times its shorter side"
        }
        let types = condition.types.map(\.rawValue)
        if !types.isEmpty, !types.contains(header.format.rawValue) {
            return "of type \(header.format.rawValue)"
        }
        return nil
    }

    /// What an original with this header is encoded as; only for outputs that are no copies.
    func encoding(of header: ImageHeader) -> EncodingFormat {
        if case .encoded(let format) = output.format { return format }
        // The source's own format, or the one that keeps what it has.
        switch header.format {
        case .jpeg: return .jpeg()
        case .png: return .png()
        case .webp: return .webp()
        case .avif where ImageEncoder.formats.contains(.avif): return .avif()
        default: return header.hasAlpha ? .png() : .jpeg()
        }
    }
}

extension Manifest {
    /// The digest of everything that shapes an output of a source's items, 32 hexadecimal digits.
    func digest(of output: Output, source: Int) -> String {
        String(Digest.sha256.hex(of: recipe(of: output, source: source)).prefix(32))
    }
}
