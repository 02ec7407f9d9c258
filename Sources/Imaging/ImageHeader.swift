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

    /// Bits of a stored sample, above 8 where a decode to 16 bits keeps more.
    public let bitDepth: Int

    /// What only the format's own codec needs.
    let details: any Sendable
    let profile: EmbeddedProfile
    /// Where EXIF data, XMP and IPTC datasets stand in a file that has them in one piece.
    let exif, xmp, iptc: Range<Int>?

    init(
        format: ImageFormat,
        storedSize: PixelSize,
        orientation: Orientation = .up,
        hasAlpha: Bool = false,
        isProgressive: Bool = false,
        colorModel: ColorModel = .rgb,
        bitDepth: Int = 8,
        details: any Sendable = (),
        profile: EmbeddedProfile = .none,
        exif: Range<Int>? = nil,
        xmp: Range<Int>? = nil,
        iptc: Range<Int>? = nil
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.isProgressive = isProgressive
        self.colorModel = colorModel
        self.bitDepth = bitDepth
        self.details = details
        self.profile = profile
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
    }

    /// Width and height of the upright image.
    public var size: PixelSize { orientation.oriented(storedSize) }

    /// The header with the orientation left out: a decode by it gives the image as it is stored.
    public var asStored: ImageHeader {
        ImageHeader(
            format: format,
            storedSize: storedSize,
            hasAlpha: hasAlpha,
            isProgressive: isProgressive,
            colorModel: colorModel,
            bitDepth: bitDepth,
            details: details,
            profile: profile,
            exif: exif,
            xmp: xmp,
            iptc: iptc
        )
    }

    /// Reads the header of an image in any format that is decoded.
    ///
    /// - Throws: `ImagingError` of reason `wrongType` for bytes that are no image, `unsupported` for an image of a known
    ///   kind that is not decoded, `corrupt` or `truncated`.
    public static func read(_ data: Data) throws(ImagingError) -> ImageHeader {
        guard let format = ImageFormat(data) else {
            throw ImagingError(
                .wrongType,
                data.isEmpty
                    ? "There are no bytes; an image was expected."
                    : "The bytes are no image in a known format; check what the source sends."
            )
        }
        return try ImageDecoder.codec(of: format).readHeader(data)
    }

    /// Throws if the image passes a limit.
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ limits: ImageLimits) throws(ImagingError) {
        try limits.check(storedSize, subject: "The image")
    }

    /// The upright size of a decode.
    ///
    /// - Parameters:
    ///   - size: as for `ImageDecoder.decode`.
    ///   - bitDepth: as for `ImageDecoder.decode`.
    /// - Returns: at least `size`, as far as the image has as much.
    public func decodedSize(covering size: PixelSize?, bitDepth: Int = 8) -> PixelSize {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        let stored = (try? ImageDecoder.codec(of: format).decodedSize(self, request)) ?? storedSize
        return orientation.oriented(stored)
    }

    /// The most bytes that a decode holds at once, so that the work in flight can be bounded before it starts.
    ///
    /// - Parameters:
    ///   - size: as for `ImageDecoder.decode`.
    ///   - bitDepth: as for `ImageDecoder.decode`.
    /// - Returns: bytes, beside the file's own.
    public func decodeCost(covering size: PixelSize?, bitDepth: Int = 8) -> Int {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        // A format that is not decoded has no header either.
        return (try? ImageDecoder.codec(of: format).decodeCost(self, request)) ?? 0
    }
}
