/// Operations in order, with the size of their result and the smallest decode that they need.
public struct OperationChain: Sendable {
    /// The operations, first to last.
    public let operations: [any ImageOperation]
    /// The limits on every intermediate result.
    public let limits: ImageLimits

    /// Creates a chain of operations.
    ///
    /// An empty chain changes nothing.
    public init(_ operations: [any ImageOperation], limits: ImageLimits = ImageLimits()) {
        self.operations = operations
        self.limits = limits
    }

    /// The same operations, of which those that resize enlarge too: for a drawing, which has no pixels that would be enlarged.
    package var enlarging: OperationChain {
        let operations = operations.map { operation -> any ImageOperation in
            guard var resize = operation as? Resize else { return operation }
            resize.upscale = true
            return resize
        }
        return OperationChain(operations, limits: limits)
    }

    /// The size of the result for an upright original.
    ///
    /// An operation with `isSizedByPixels` counts as if it kept its input's size.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func outputSize(for originalSize: PixelSize) throws(ImagingError) -> PixelSize {
        var size = originalSize
        for operation in operations { size = try checkedSize(of: operation, for: size) }
        return size
    }

    /// The size to decode an upright original at; nil if every pixel is needed.
    ///
    /// It is larger than an original that is enlarged: a drawing has the pixels, and other images are decoded in full.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func coveringSize(for originalSize: PixelSize) throws(ImagingError) -> PixelSize? {
        // After a size that depends on the pixels, later sizes are unknown and have no effect on the decode.
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

    /// Applies the operations to an upright original, or to a decode of it that covers `coveringSize(for:)`.
    ///
    /// - Parameters:
    ///   - image: The decode.
    ///   - originalSize: The upright size of the original, from its header.
    ///   - format: The format that the result will be encoded in, if known. Saves computing chroma that the format
    ///     drops.
    /// - Returns: The result, of size `outputSize(for: originalSize)` unless it is sized by pixels.
    /// - Throws: `ImagingError` of reason `processing`, `limits` or `memory`.
    public func apply(to image: Image, originalSize: PixelSize, for format: EncodingFormat? = nil)
        throws(ImagingError) -> Image
    {
        var none: GainMap?
        return try apply(to: image, gainMap: &none, originalSize: originalSize, for: format)
    }

    /// Applies the operations to an image and to the gain map beside it.
    ///
    /// - Parameters:
    ///   - image: As for `apply(to:originalSize:for:)`.
    ///   - gainMap: The map of the same original, which becomes that of the result, at the scale that it had, and no larger than
    ///     the original's; nil if an operation cannot be followed, or for none.
    ///   - originalSize: The upright size of the original, from its header.
    ///   - format: The format that the result will be encoded in, if known.
    /// - Returns: The result of `apply(to:originalSize:for:)`.
    /// - Throws: `ImagingError` of reason `processing`, `limits` or `memory`.
    public func apply(
        to image: Image,
        gainMap: inout GainMap?,
        originalSize: PixelSize,
        for format: EncodingFormat? = nil
    ) throws(ImagingError) -> Image {
        var image = image
        var input = originalSize
        for operation in operations {
            let output = try checkedSize(of: operation, for: input)
            // The map follows to the same place, for which the pixels are asked once.
            let placed = gainMap == nil ? operation : try operation.placed(on: image, nominalSize: input)
            gainMap = try gainMap?.following(placed, nominalSize: input)
            image = try placed.apply(to: image, nominalSize: input, chroma: format?.chromaSubsampling)
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

extension OperationChain {
    /// The most bytes that `apply`, and then encoding its result, hold at once beside the given image.
    ///
    /// - Parameters:
    ///   - image: The size of the decode.
    ///   - originalSize: The upright size of the original.
    ///   - bitDepth: Bits per sample of the decode, 8 or 16.
    ///   - format: The format that the result is encoded in; nil if it is not.
    /// - Returns: Bytes, an upper bound.
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func memoryCost(
        of image: PixelSize,
        originalSize: PixelSize,
        bitDepth: Int,
        for format: EncodingFormat?
    ) throws(ImagingError) -> Int {
        let formats = format.map { [$0] } ?? []
        return try memoryCost(of: image, originalSize: originalSize, bitDepth: bitDepth, for: formats)
    }

    /// The same for a result that is encoded in each of these formats, of which the smallest file is taken; none if it is not encoded.
    package func memoryCost(
        of image: PixelSize,
        originalSize: PixelSize,
        bitDepth: Int,
        for formats: [EncodingFormat]
    ) throws(ImagingError) -> Int {
        var (size, nominal) = (image, originalSize)
        var (held, most) = (0, 0)
        for operation in operations {
            let result = try operation.resultSize(for: size, nominalSize: nominal)
            let work = operation.workingMemory.cost(size, result, bitDepth: bitDepth)
            most = max(most, held.addingClamping(work))
            held = WorkingMemory().cost(size, result, bitDepth: bitDepth)
            (nominal, size) = (try checkedSize(of: operation, for: nominal), result)
        }
        let encoding = formats.map { $0.workingMemory.cost(size, size, bitDepth: bitDepth) }.max() ?? 0
        // The smallest file so far is kept while another one is made.
        let kept = formats.count > 1 ? WorkingMemory().cost(size, size, bitDepth: bitDepth) : 0
        return max(most, held.addingClamping(encoding).addingClamping(kept))
    }
}
