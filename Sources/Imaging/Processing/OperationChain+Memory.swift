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
        var (size, nominal) = (image, originalSize)
        var (held, most) = (0, 0)
        for operation in operations {
            let result = try operation.resultSize(for: size, nominalSize: nominal)
            let work = operation.workingMemory.cost(size, result, bitDepth: bitDepth)
            most = max(most, held.addingClamping(work))
            held = WorkingMemory().cost(size, result, bitDepth: bitDepth)
            (nominal, size) = (try checkedSize(of: operation, for: nominal), result)
        }
        let encoding = format?.workingMemory.cost(size, size, bitDepth: bitDepth) ?? 0
        return max(most, held.addingClamping(encoding))
    }
}
