/// An image so small that it can be taken in as a whole: what placeholders and the dominant colour are made of.
public struct Miniature: Sendable {
    /// The pixels of the longer side at most: a placeholder shows no more of it.
    public static let longestSide = 100

    /// What makes the miniature of an image, for whoever asks how small that may be decoded.
    ///
    /// A box filter, since the mean of all pixels is to be that of the miniature's.
    public static let resize = Resize(width: longestSide, height: longestSide, filter: .box)

    /// Width and height, each at least 1.
    public let size: PixelSize
    /// The pixels in sRGB, row by row from the top: red, green, blue and straight alpha.
    public let pixels: [SIMD4<UInt8>]

    /// The miniature of an image; an image of that size already gives its own pixels.
    ///
    /// - Parameters:
    ///   - image: the upright image, or a scaled-down decode of it.
    ///   - nominalSize: the size of the upright original; nil if the image is one in full.
    /// - Throws: `ImagingError` of reason `memory`.
    public init(_ image: Image, of nominalSize: PixelSize? = nil) throws(ImagingError) {
        let small = try Self.resize.apply(to: image, nominalSize: nominalSize ?? image.size, chroma: nil)
        size = small.size
        let rgba = [UInt8](try small.rgba())
        pixels = stride(from: 0, to: rgba.count, by: 4).map { start in
            SIMD4(rgba[start], rgba[start + 1], rgba[start + 2], rgba[start + 3])
        }
    }
}
