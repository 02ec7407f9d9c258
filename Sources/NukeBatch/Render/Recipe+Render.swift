import Files
import Imaging
import JobPlanning

/// A processed image, ready to be encoded, with the gain map that follows it.
struct ProcessedImage: Sendable {
    let image: Image
    var gainMap: GainMap?
    /// The fate of the original's gain map; nil if it has none.
    var fate: GainMapFate?
}

extension Recipe {
    /// The result of processing.
    enum Processed: Sendable {
        case image(ProcessedImage)
        /// Skipped, for this reason.
        case skipped(String)
    }

    /// Processes the decoded original; returns the reason to skip the output if that depends on the pixels.
    ///
    /// The image has all colours of each of its formats.
    func process(_ source: DecodedOriginal) throws(ImagingError) -> Processed {
        let (chain, size) = (chain(of: source.header), source.header.size)
        let format = onlyEncoding(of: source.header)
        var (map, fate) = try gainMap(of: source)
        func processed(_ image: Image) -> Processed {
            .image(
                ProcessedImage(
                    image: image,
                    gainMap: map,
                    fate: fate == .kept && map == nil ? .processors : fate
                )
            )
        }
        guard needsPixelsToDecide, !source.header.format.isDrawnPerOutput, let resize = chain.operations.last
        else {
            return processed(
                try chain.apply(to: source.image, gainMap: &map, originalSize: size, for: format)
            )
        }
        let image = try unresized.apply(to: source.image, gainMap: &map, originalSize: size, for: format)
        if let reason = reasonToSkip(width: image.size.width) { return .skipped(reason) }
        // An operation sized by pixels gets the image at full size, so that the size from there on is the nominal one.
        let last = OperationChain([resize], limits: chain.limits)
        return processed(try last.apply(to: image, gainMap: &map, originalSize: image.size, for: format))
    }

    /// Encodes a processed image with the part of the original's metadata that the output keeps.
    ///
    /// Of several formats, the choice of the output takes one.
    func encode(
        _ processed: ProcessedImage,
        metadataOf source: DecodedOriginal
    ) throws(ImagingError) -> RenderedOutput.Encoded {
        let metadata = ImageMetadata(
            of: source.original.data,
            source.header,
            keeping: output.metadata,
            size: processed.image.size
        )
        let (file, format) = try file(of: processed, source.header, metadata)
        return RenderedOutput.Encoded(
            data: file.data,
            sha256: Digest.sha256.hex(of: file.data),
            size: processed.image.size,
            format: format.imageFormat,
            encoder: ImageEncoder.version(of: format),
            quality: file.quality,
            score: file.score,
            gainMap: processed.fate
        )
    }

    /// Returns the file of an image, with its format: by the output's choice, if it has one.
    private func file(
        of processed: ProcessedImage,
        _ header: ImageHeader,
        _ metadata: ImageMetadata?
    ) throws(ImagingError) -> (file: EncodedImage, format: EncodingFormat) {
        let (image, background) = (processed.image, output.background)
        if case .smallest(let choice) = output.format {
            return try ImageEncoder.encoded(image, as: choice, background: background, metadata: metadata)
        }
        let format = encodings(of: header)[0]
        let file = try ImageEncoder.encoded(
            image,
            as: format,
            background: background,
            metadata: metadata,
            gainMap: processed.gainMap
        )
        return (file, format)
    }

    /// Returns an output that needs no pixels: a copy of the original's bytes, or the reason why it is not made.
    func withoutPixels(of original: Original, _ header: ImageHeader) -> RenderedOutput {
        if let reason = reasonToSkip(header) { return RenderedOutput(recipe: self, result: .skipped(reason)) }
        if let error = obstacle(header) {
            return RenderedOutput(recipe: self, result: .failed(ItemError(error)))
        }
        let encoded = RenderedOutput.Encoded(
            data: original.data,
            sha256: original.sha256,
            size: header.size,
            format: header.format,
            encoder: nil,
            gainMap: header.gainMap.map { _ in .kept }
        )
        return RenderedOutput(recipe: self, result: .encoded(encoded))
    }
}
