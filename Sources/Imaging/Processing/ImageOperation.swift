/// A step from an image to another: a value without state.
///
/// Operations calculate in pixels of the *nominal* image: the full-size, upright original. The image passed to them may
/// be a scaled-down decode of it, which never changes the size of a result.
public protocol ImageOperation: Sendable, Hashable {
    /// True if the size of the result depends on the pixels. `outputSize` is then the maximum, and the operation gets
    /// the nominal image at full size.
    var isSizedByPixels: Bool { get }

    /// True if the pixels decide which part of the image the result shows, so that an animation would not stay in place.
    var isPlacedByPixels: Bool { get }

    /// The size of the result for a nominal input.
    ///
    /// - Throws: `ImagingError` of reason `processing` for invalid parameters.
    func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize

    /// The smallest decode of a nominal input that gives the same visible result; nil if every pixel is needed.
    ///
    /// - Parameters:
    ///   - input: The size of the nominal image.
    ///   - output: The size at which this operation's own result is needed; nil for full size.
    /// - Returns: The decode size, proportional to `input`.
    /// - Throws: `ImagingError` of reason `processing`.
    func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize?

    /// The size of the result for an actual image, which may be a scaled-down decode of the nominal one.
    ///
    /// - Throws: `ImagingError` of reason `processing`.
    func resultSize(for image: PixelSize, nominalSize: PixelSize) throws(ImagingError) -> PixelSize

    /// The most bytes that `apply` holds at once beside its input.
    var workingMemory: WorkingMemory { get }

    /// Applies the operation.
    ///
    /// - Parameters:
    ///   - image: The nominal image, or a scaled-down decode of it.
    ///   - nominalSize: The size of the nominal image.
    ///   - chroma: The subsampling that the result will be encoded with, so that no finer chroma is computed; nil for
    ///     full resolution.
    /// - Returns: The result, scaled down as the input was.
    /// - Throws: `ImagingError` of reason `processing` or `memory`.
    func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image
}

/// Defaults for operations that change pixels without moving them.
extension ImageOperation {
    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize { input }

    /// The size that the next operation needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        output
    }

    /// The size of the result at the input's scale.
    ///
    /// A partial pixel at an edge counts as whole.
    public func resultSize(for image: PixelSize, nominalSize: PixelSize) throws(ImagingError) -> PixelSize {
        let output = try outputSize(for: nominalSize)
        return output == nominalSize.transposed
            ? output.scaled(as: image.transposed, isOf: nominalSize.transposed)
            : output.scaled(as: image, isOf: nominalSize)
    }

    /// Only the result.
    public var workingMemory: WorkingMemory { WorkingMemory() }

    /// False: the parameters and the input's size determine that of the result.
    public var isSizedByPixels: Bool { false }

    /// True for an operation whose size depends on the pixels.
    public var isPlacedByPixels: Bool { isSizedByPixels }

    /// Applies the operation to a full-size image.
    public func apply(to image: Image) throws(ImagingError) -> Image {
        try apply(to: image, nominalSize: image.size, chroma: nil)
    }
}
