/// Drops the colours: keeps BT.601 luma, and alpha.
public struct Grayscale: ImageOperation {
    /// A conversion to gray.
    public init() {}

    /// The same size.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize { input }

    /// As much as what comes after needs.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        output
    }

    /// The gray image.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        try image.converted(to: .gray)
    }
}
