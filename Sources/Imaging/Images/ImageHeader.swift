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

    /// The frames of an animation; nil for a still image.
    ///
    /// The rest of the header is about its first frame, or the still image beside the frames of an AVIF (see `ofFrames`).
    public let animation: AnimationSummary?

    /// The gain map beside the image; nil if there is none.
    public let gainMap: GainMapHeader?

    /// The details that only the format's codec reads.
    let details: any Sendable
    let profile: EmbeddedProfile
    /// The colours of pixels that are brighter than those of standard screens; nil for others.
    let hdr: HDRSignal?
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
        animation: AnimationSummary? = nil,
        details: any Sendable = (),
        profile: EmbeddedProfile = .none,
        hdr: HDRSignal? = nil,
        exif: Range<Int>? = nil,
        xmp: Range<Int>? = nil,
        iptc: Range<Int>? = nil,
        gainMap: GainMapHeader? = nil
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.isProgressive = isProgressive
        self.colorModel = colorModel
        self.bitDepth = bitDepth
        self.animation = animation
        self.details = details
        self.profile = profile
        self.hdr = hdr
        self.exif = exif
        self.xmp = xmp
        self.iptc = iptc
        self.gainMap = gainMap
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
            animation: animation,
            details: details,
            profile: profile,
            hdr: hdr,
            exif: exif,
            xmp: xmp,
            iptc: iptc,
            gainMap: gainMap
        )
    }

    /// Throws if the image exceeds a limit.
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ limits: ImageLimits) throws(ImagingError) {
        try limits.check(storedSize, subject: "The image")
    }
}
