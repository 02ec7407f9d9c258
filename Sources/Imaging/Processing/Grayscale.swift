/// Removes colour: keeps BT.601 luma and alpha.
public struct Grayscale: ImageOperation {
    /// Creates a conversion to gray.
    public init() {}

    /// The luma.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 0, perOutputPixel: 1) }

    /// The gray image.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        try image.converted(to: .gray)
    }
}
