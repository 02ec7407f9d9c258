/// What work on an image takes beside the image that it is given, in bytes for each pixel of 8 bits a sample; 16 bits take
/// twice as much.
///
/// Upper bounds, told before the work begins, so that what goes on at once can be bounded.
public struct WorkingMemory: Sendable, Hashable {
    /// For each pixel of the image.
    public var perInputPixel: Int
    /// For each pixel of the result, with the result itself.
    public var perOutputPixel: Int

    /// So many bytes; by default a result of four channels.
    public init(perInputPixel: Int = 0, perOutputPixel: Int = 4) {
        self.perInputPixel = perInputPixel
        self.perOutputPixel = perOutputPixel
    }

    /// Bytes for an image and a result of the given sizes.
    func cost(_ input: PixelSize, _ output: PixelSize, bitDepth: Int) -> Int {
        Plane.byteCount(input).multipliedClamping(by: perInputPixel)
            .addingClamping(Plane.byteCount(output).multipliedClamping(by: perOutputPixel))
            .multipliedClamping(by: bitDepth / 8)
    }
}

extension OperationChain {
    /// The most bytes that `apply`, and then encoding its result, hold at once beside the image given.
    ///
    /// - Parameters:
    ///   - image: the size of the decode.
    ///   - originalSize: the upright size of the original.
    ///   - bitDepth: bits of a sample of the decode, 8 or 16.
    ///   - format: what the result is encoded as; nil if it is not.
    /// - Returns: bytes, at least what is needed.
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
