/// One step from an image to another: a value without state.
///
/// Operations reckon in the pixels of the *nominal* image: the original in full, turned upright. The image at hand may be
/// a scaled-down decode of it, which never changes the size of a result.
public protocol ImageOperation: Sendable, Hashable {
    /// Whether only the pixels tell the size of the result: `outputSize` then is the most that it can be, and the operation
    /// is given the nominal image in full.
    var isSizedByPixels: Bool { get }

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

    /// The size of the result for an image at hand, which may be a scaled-down decode of the nominal one.
    ///
    /// - Throws: `ImagingError` of reason `processing`.
    func resultSize(for image: PixelSize, nominalSize: PixelSize) throws(ImagingError) -> PixelSize

    /// The most that `apply` holds at once beside the image at hand.
    var workingMemory: WorkingMemory { get }

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

/// What holds of an operation that changes pixels where they stand; others say it themselves.
extension ImageOperation {
    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize { input }

    /// As much as what comes after needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        output
    }

    /// Scaled down as the image at hand is, a cut pixel at each edge counted whole.
    public func resultSize(for image: PixelSize, nominalSize: PixelSize) throws(ImagingError) -> PixelSize {
        let output = try outputSize(for: nominalSize)
        return output == nominalSize.transposed
            ? output.scaled(as: image.transposed, isOf: nominalSize.transposed)
            : output.scaled(as: image, isOf: nominalSize)
    }

    /// A result, and nothing else.
    public var workingMemory: WorkingMemory { WorkingMemory() }

    /// Parameters and the input's size tell that of the result.
    public var isSizedByPixels: Bool { false }

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
    /// An operation whose result is sized by pixels counts as if it left its input as large as it is.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func outputSize(for originalSize: PixelSize) throws(ImagingError) -> PixelSize {
        var size = originalSize
        for operation in operations { size = try checkedSize(of: operation, for: size) }
        return size
    }

    /// The size to decode an upright original at; nil if every pixel is needed.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func coveringSize(for originalSize: PixelSize) throws(ImagingError) -> PixelSize? {
        // What comes after a size that only pixels tell cannot be reckoned, nor does it matter.
        let end = operations.firstIndex { $0.isSizedByPixels }.map { $0 + 1 } ?? operations.count
        var inputs: [PixelSize] = []
        var size = originalSize
        for operation in operations[..<end] {
            inputs.append(size)
            size = try checkedSize(of: operation, for: size)
        }
        var needed: PixelSize?
        for (operation, input) in zip(operations, inputs).reversed() {
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
    /// - Returns: the result; `outputSize(for: originalSize)` large, unless it is sized by pixels.
    /// - Throws: `ImagingError` of reason `processing`, `limits` or `memory`.
    public func apply(
        to image: Image,
        originalSize: PixelSize,
        for format: EncodingFormat? = nil
    ) throws(ImagingError) -> Image {
        var image = image
        var input = originalSize
        for operation in operations {
            let output = try checkedSize(of: operation, for: input)
            image = try operation.apply(to: image, nominalSize: input, chroma: format?.chromaSubsampling)
            input = operation.isSizedByPixels ? image.size : output
        }
        return image
    }

    func checkedSize(
        of operation: any ImageOperation,
        for input: PixelSize
    ) throws(ImagingError) -> PixelSize {
        let size = try operation.outputSize(for: input)
        try limits.check(size, subject: "The result of \(type(of: operation))")
        return size
    }
}
