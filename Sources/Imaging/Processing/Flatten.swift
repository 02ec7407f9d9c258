/// Composites transparent pixels over a colour.
///
/// The result has no alpha.
public struct Flatten: ImageOperation {
    /// The colour behind transparent pixels.
    public var background: RGBColor

    /// Creates a flattening over a colour.
    public init(background: RGBColor = .white) {
        self.background = background
    }

    /// The image as RGB, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 3) }

    /// The opaque image; the same image if it has no alpha.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        try image.flattened(over: background)
    }
}
