internal import CImageCodecs
public import Foundation

/// What a file says about its image before any pixel is decoded.
public struct ImageHeader: Sendable {
    /// The file format.
    public let format: ImageFormat
    /// Width and height as stored, before orientation.
    public let storedSize: PixelSize
    /// How to turn the stored image upright.
    public let orientation: Orientation
    /// Whether pixels may be transparent.
    public let hasAlpha: Bool
    /// Whether a JPEG is progressive or a PNG interlaced: it then needs all of it in memory to show any of it.
    public let isProgressive: Bool
    /// The colour model of the stored image.
    public let colorModel: ColorModel

    /// What only the format's own decoder needs.
    enum Details: Sendable {
        case jpeg(nb_jpeg_header)
        case png
        case webp
    }
    let details: Details
    let profile: EmbeddedProfile

    /// Width and height of the upright image.
    public var size: PixelSize { orientation.oriented(storedSize) }

    /// Reads the header of a JPEG, PNG or WebP.
    ///
    /// - Throws: `ImagingError` of reason `wrongType` for bytes that are no image, `unsupported` for an image that is
    ///   known but not decoded (GIF, AVIF, HEIC, TIFF, BMP, animated WebP), `corrupt` or `truncated`.
    public static func read(_ data: Data) throws(ImagingError) -> ImageHeader {
        switch ImageFormat(data) {
        case .jpeg: return try JPEGDecoder.readHeader(data)
        case .png: return try PNGDecoder.readHeader(data)
        case .webp: return try WebPDecoder.readHeader(data)
        case .some(let format):
            throw ImagingError(
                .unsupported,
                "\(format.rawValue.uppercased()) images are not supported yet; convert it to JPEG, PNG or WebP."
            )
        case nil:
            throw ImagingError(
                .wrongType,
                data.isEmpty
                    ? "There are no bytes; an image was expected."
                    : "The bytes are no image in a known format; check what the source sends."
            )
        }
    }

    /// Throws if the image passes a limit.
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ limits: ImageLimits) throws(ImagingError) {
        try limits.check(storedSize, subject: "The image")
    }

    /// The most bytes that a decode holds at once, so that the work in flight can be bounded before it starts.
    ///
    /// - Parameter size: as for `ImageDecoder.decode`.
    /// - Returns: bytes, beside the file's own.
    public func decodeCost(covering size: PixelSize?) -> Int {
        switch details {
        case .jpeg(let header): return JPEGDecoder.decodeCost(header, self, covering: size)
        case .png:
            let channels = (colorModel == .gray ? 1 : 3) + (hasAlpha ? 1 : 0)
            return PNGDecoder.decodeCost(storedSize, channels: channels, isInterlaced: isProgressive)
        case .webp: return WebPDecoder.decodeCost(storedSize, channels: hasAlpha ? 4 : 3)
        }
    }
}
