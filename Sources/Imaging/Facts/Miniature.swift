/// A small version of an image that placeholders and the dominant colour are computed from.
public struct Miniature: Sendable {
    /// The longer side's maximum, in pixels.
    ///
    /// A placeholder shows no more detail.
    public static let longestSide = 100

    /// The operation that makes the miniature, for callers that plan how small an image may be decoded.
    ///
    /// It uses a box filter, so the mean of all pixels is also the mean of the miniature's.
    public static let resize = Resize(width: longestSide, height: longestSide, filter: .box)

    /// Width and height, each at least 1.
    public let size: PixelSize
    /// The pixels in sRGB, row by row from the top: red, green, blue and straight alpha.
    public let pixels: [SIMD4<UInt8>]

    /// Creates the miniature of an image.
    ///
    /// An image of that size keeps its own pixels.
    ///
    /// - Parameters:
    ///   - image: The upright image, or a scaled-down decode of it.
    ///   - nominalSize: The size of the upright original; nil if the image has full size.
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
