import Imaging

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
        return processed(
            try last.apply(to: image, gainMap: &map, originalSize: image.size, for: format)
        )
    }
}
