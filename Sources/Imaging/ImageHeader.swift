public import Foundation

/// The properties of an image that a file states before its pixels.
public struct ImageHeader: Sendable {
    /// The file format.
    public let format: ImageFormat
    /// Width and height as stored, before orientation.
    public let storedSize: PixelSize
    /// The orientation of the stored image.
    public let orientation: Orientation
    /// True if pixels may be transparent.
    public let hasAlpha: Bool
    /// True if a JPEG is progressive or a PNG interlaced, so that a decode holds the whole image in memory.
    public let isProgressive: Bool
    /// The colour model of the stored image.
    public let colorModel: ColorModel

    /// Bits per stored sample; above 8 if a decode to 16 bits keeps more.
    public let bitDepth: Int

    /// The details that only the format's codec reads.
    let details: any Sendable
    let profile: EmbeddedProfile
    /// The ranges of EXIF data, XMP and IPTC datasets that are stored contiguously.
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

    /// The header without the orientation.
    ///
    /// Decoding with it returns the image as stored.
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

    /// Reads the header of an image in any supported format.
    ///
    /// - Throws: `ImagingError` of reason `wrongType` for bytes that are not an image, `unsupported` for an image that
    ///   this build does not decode or a camera's RAW file, `corrupt` or `truncated`.
    public static func read(_ data: Data) throws(ImagingError) -> ImageHeader {
        if let raw = CameraRAW(data) { throw raw.error }
        guard let format = ImageFormat(data) else {
            throw ImagingError(
                .wrongType,
                data.isEmpty
                    ? "The data is empty. An image was expected."
                    : ForeignContent.name(of: data).map {
                        "The data is \($0), not an image. Check what the source sends."
                    }
                        ?? "The data is not an image in a known format. Check what the source sends."
            )
        }
        return try ImageDecoder.codec(of: format).readHeader(data)
    }

    /// Throws if the image exceeds a limit.
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ limits: ImageLimits) throws(ImagingError) {
        try limits.check(storedSize, subject: "The image")
    }

    /// The upright size of a decode.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - bitDepth: As for `ImageDecoder.decode`.
    /// - Returns: At least `size`, as far as the image has the pixels.
    public func decodedSize(covering size: PixelSize?, bitDepth: Int = 8) -> PixelSize {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        let stored = (try? ImageDecoder.codec(of: format).decodedSize(self, request)) ?? storedSize
        return orientation.oriented(stored)
    }

    /// The most bytes that a decode holds at once, of a file that is as it should be.
    ///
    /// Callers use it to bound the work in flight before it starts, and set `ImageLimits.maxMemory` where that must hold
    /// for every file: see `largestDecodeCost`.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - bitDepth: As for `ImageDecoder.decode`.
    /// - Returns: Bytes, not counting the file.
    public func decodeCost(covering size: PixelSize?, bitDepth: Int = 8) -> Int {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        // A format without a codec has no header either.
        return (try? ImageDecoder.codec(of: format).decodeCost(self, request)) ?? 0
    }

    /// The most bytes that a decode holds at once, whatever is in the file.
    ///
    /// It is more than `decodeCost` for a JPEG of several scans: if it is damaged, or made in an unusual way, all of its
    /// coefficients are held. A decode that may hold less throws `limits` then.
    ///
    /// - Parameters:
    ///   - size: As for `ImageDecoder.decode`.
    ///   - bitDepth: As for `ImageDecoder.decode`.
    /// - Returns: Bytes, not counting the file.
    public func largestDecodeCost(covering size: PixelSize?, bitDepth: Int = 8) -> Int {
        let request = DecodeRequest(self, covering: size, bitDepth: bitDepth, limits: ImageLimits())
        return (try? ImageDecoder.codec(of: format).largestDecodeCost(self, request)) ?? 0
    }
}
