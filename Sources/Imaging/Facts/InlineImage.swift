internal import Foundation

/// A tiny PNG as a `data:` URI of at most 400 characters, which a page shows, enlarged, until the image is loaded.
public struct InlineImage: Sendable {
    /// The URI.
    public let text: String

    /// Creates the inline image of a miniature.
    ///
    /// - Throws: `ImagingError` of reason `memory`.
    public init(_ miniature: Miniature) throws(ImagingError) {
        let isOpaque = miniature.pixels.allSatisfy { $0.w == 255 }
        // Pixels that cannot be compressed take three or four bytes each, beside a hundred bytes of PNG; Base64 adds a third.
        let longestSide = isOpaque ? 8 : 6
        var rgba = Data(capacity: miniature.pixels.count * 4)
        for pixel in miniature.pixels { rgba.append(contentsOf: [pixel.x, pixel.y, pixel.z, pixel.w]) }
        let image = try Image(width: miniature.size.width, height: miniature.size.height, rgba: rgba)
        let resize = Resize(width: longestSide, height: longestSide, filter: .box)
        let tiny = try resize.apply(to: image, nominalSize: image.size, chroma: nil)
        let shown = isOpaque ? Image(colorModel: tiny.colorModel, planes: tiny.colorPlanes) : tiny
        let png = try ImageEncoder.encode(shown, as: .png(PNGOptions(compression: 9)))
        text = "data:image/png;base64,\(png.base64EncodedString())"
    }
}
