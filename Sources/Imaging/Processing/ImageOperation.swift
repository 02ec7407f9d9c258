/// One step from an image to another: a value without state.
///
/// Operations reckon in the pixels of the *nominal* image: the original in full, turned upright. The image at hand may be
/// a scaled-down decode of it, which never changes the size of a result.
public protocol ImageOperation: Sendable, Hashable {
    /// The size of the result for a nominal input.
    ///
    /// - Throws: `ImagingError` of reason `processing` for parameters without meaning.
    func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize

    /// The smallest decode of a nominal input that gives the same visible result; nil if every pixel is needed.
    ///
    /// - Parameters:
    ///   - input: the size of the nominal image.
    ///   - output: how much of this operation's own result is needed; nil for all.
    /// - Returns: the size to decode, in proportion to `input`.
    /// - Throws: `ImagingError` of reason `processing`.
    func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize?

    /// The result.
    ///
    /// - Parameters:
    ///   - image: the nominal image, or a scaled-down decode of it.
    ///   - nominalSize: the size of the nominal image.
    ///   - chroma: the subsampling that the result will be encoded with, so that no more chroma is made; nil for all.
    /// - Returns: the result, scaled down as the image at hand was.
    /// - Throws: `ImagingError` of reason `processing` or `memory`.
    func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image
}

extension ImageOperation {
    /// The result for an image in full.
    public func apply(to image: Image) throws(ImagingError) -> Image {
        try apply(to: image, nominalSize: image.size, chroma: nil)
    }
}

/// Operations in order, and what follows from all of them: the result's size, and how small an original may be decoded.
public struct OperationChain: Sendable {
    /// The operations, first to last.
    public let operations: [any ImageOperation]
    /// What no result in between may pass.
    public let limits: ImageLimits

    /// A chain of operations; an empty one changes nothing.
    public init(_ operations: [any ImageOperation], limits: ImageLimits = ImageLimits()) {
        self.operations = operations
        self.limits = limits
    }

    /// The size of the result for an upright original.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func outputSize(for originalSize: PixelSize) throws(ImagingError) -> PixelSize {
        try sizes(for: originalSize).last ?? originalSize
    }

    /// The size to decode an upright original at; nil if every pixel is needed.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func coveringSize(for originalSize: PixelSize) throws(ImagingError) -> PixelSize? {
        let sizes = try sizes(for: originalSize)
        var needed: PixelSize?
        for (operation, input) in zip(operations, sizes).reversed() {
            needed = try operation.coveringSize(for: input, output: needed)
        }
        return needed
    }

    /// The result for an upright original, or for a decode of it that covers `coveringSize(for:)`.
    ///
    /// - Parameters:
    ///   - image: the decode.
    ///   - originalSize: the upright size of the original, from its header.
    ///   - format: what the result will be encoded as, if that is known: saves the chroma that it drops.
    /// - Returns: the result, `outputSize(for: originalSize)` large.
    /// - Throws: `ImagingError` of reason `processing`, `limits` or `memory`.
    public func apply(
        to image: Image,
        originalSize: PixelSize,
        for format: EncodingFormat? = nil
    ) throws(ImagingError) -> Image {
        var image = image
        for (operation, input) in zip(operations, try sizes(for: originalSize)) {
            image = try operation.apply(to: image, nominalSize: input, chroma: format?.chromaSubsampling)
        }
        return image
    }

    /// The nominal sizes: the original's, then each operation's result.
    private func sizes(for originalSize: PixelSize) throws(ImagingError) -> [PixelSize] {
        var sizes = [originalSize]
        var size = originalSize
        for operation in operations {
            size = try operation.outputSize(for: size)
            try limits.check(size, subject: "The result of \(type(of: operation))")
            sizes.append(size)
        }
        return sizes
    }
}
