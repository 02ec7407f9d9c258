public import Foundation

/// Bytes to pixels.
public enum ImageDecoder {
    /// Decodes an image: upright, in sRGB, and no larger than needed.
    ///
    /// With a size to cover, a JPEG is decoded at the smallest of 1/8 … 8/8 of its size whose sides are both at least as
    /// large, which costs a fraction of a full decode. After a Lanczos resize the result differs from that of a full
    /// decode by 36 to 50 dB (300 web photographs to 256 pixels). Other formats come full size.
    /// Orientation is applied. Colours are converted by the embedded ICC profile; one that is broken or above 1 MB is
    /// ignored.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - header: the file's header, if it was read before.
    ///   - size: the upright pixels that the result must have at least (where the image has them); nil for all.
    ///   - limits: what to refuse.
    /// - Returns: the upright image.
    /// - Throws: `ImagingError`. Data that is damaged or cut short is always an error, never a partly gray image.
    public static func decode(
        _ data: Data,
        header: ImageHeader? = nil,
        covering size: PixelSize? = nil,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) -> Image {
        let header = if let header { header } else { try ImageHeader.read(data) }
        try header.check(limits)
        let decoded =
            switch header.details {
            case .jpeg(let details):
                try JPEGDecoder.decode(
                    data,
                    header: details,
                    profile: header.profile.bytes(in: data),
                    covering: size.map(header.orientation.oriented),
                    maxScans: limits.maxScans
                )
            case .png: try PNGDecoder.decode(data, header: header)
            case .webp: try WebPDecoder.decode(data, header: header)
            }
        return try decoded.oriented(header.orientation)
    }
}
