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
