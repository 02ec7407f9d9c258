import Files
import Imaging
import JobManifest

extension Recipe {
    /// Returns the conversion of an original whose animation the output keeps; nil if it shows one frame.
    func conversion(of header: ImageHeader) -> AnimationConversion? {
        guard header.animation != nil, let bounds = output.keptAnimation else { return nil }
        var limits = chain.limits
        limits.maxAnimationPixels = bounds.maxPixels
        let chain = OperationChain(chain.operations, limits: limits)
        var format = EncodingFormat.webp()
        if case .encoded(let chosen) = output.format { format = chosen }
        var conversion = AnimationConversion(of: header, chain, as: format)
        conversion.maxFrames = bounds.maxFrames
        conversion.maxDuration = bounds.maxDuration
        conversion.hdr = output.hdr
        return conversion
    }

    /// Converts the animation of an original; `proceed` is called before each frame.
    /// - Throws: `ImagingError`, and what `proceed` throws.
    func animate(
        _ original: Original,
        header: ImageHeader,
        by conversion: AnimationConversion,
        _ proceed: () throws -> Void
    ) throws -> RenderedOutput {
        var conversion = conversion
        let allowsLarger = output.keptAnimation?.allowsLarger ?? false
        conversion.mostBytes = allowsLarger ? nil : original.data.count
        let size = try conversion.outputSize()
        let metadata = ImageMetadata(of: original.data, header, keeping: output.metadata, size: size)
        switch try conversion.run(on: original.data, metadata: metadata, proceed) {
        case .larger(let bytes):
            let reason = "larger than the original: \(bytes) bytes at the lowest quality"
            return RenderedOutput(recipe: self, result: .skipped(reason))
        case .file(let data, let quality, let warnings):
            let encoded = RenderedOutput.Encoded(
                data: data,
                sha256: Digest.sha256.hex(of: data),
                size: size,
                format: conversion.format.imageFormat,
                encoder: ImageEncoder.version(of: conversion.format),
                quality: quality
            )
            return RenderedOutput(recipe: self, result: .encoded(encoded), warnings: warnings)
        }
    }
}
