/// The properties of an image that a file states before its pixels.
public struct ImageHeader: Sendable {
    /// The file format.
    public let format: ImageFormat
    /// Width and height as stored, before orientation.
    public let storedSize: PixelSize
    /// The orientation of the stored image.
    public internal(set) var orientation = Orientation.up
    /// True if pixels may be transparent.
    public internal(set) var hasAlpha = false
    /// True if a JPEG is progressive or a PNG interlaced, so that a decode holds the whole image in memory.
    public internal(set) var isProgressive = false
    /// The colour model of the stored image.
    public internal(set) var colorModel = ColorModel.rgb
    /// Bits per stored sample; above 8 if a decode to 16 bits keeps more.
    public internal(set) var bitDepth = 8
    /// The frames of an animation; nil for a still image.
    ///
    /// The rest of the header is about its first frame, or the still image beside the frames of an AVIF (see `ofFrames`).
    public internal(set) var animation: AnimationSummary?
    /// The details that only the format's codec reads.
    var details: any Sendable = ()
    var profile = EmbeddedProfile.none
    /// The colours of pixels that are brighter than those of standard screens; nil for others.
    var hdr: HDRSignal?
    /// The ranges of EXIF data, XMP and IPTC datasets that are stored contiguously.
    var exif, xmp, iptc: Range<Int>?
    /// The gain map beside the image; nil if there is none.
    public internal(set) var gainMap: GainMapHeader?

    /// The channels of the stored image, alpha among them.
    var channels: Int { (colorModel == .gray ? 1 : colorModel == .cmyk ? 4 : 3) + (hasAlpha ? 1 : 0) }

    /// The details of the format's own type; `none` in a header that another codec has read.
    func details<Details>(_ none: @autoclosure () -> Details) -> Details { details as? Details ?? none() }

    /// Width and height of the upright image.
    public var size: PixelSize { orientation.oriented(storedSize) }

    /// The header without the orientation.
    ///
    /// Decoding with it returns the image as stored.
    public var asStored: ImageHeader {
        var header = self
        header.orientation = .up
        return header
    }

    /// Throws if the image exceeds a limit.
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ limits: ImageLimits) throws(ImagingError) {
        try limits.check(storedSize, subject: "The image")
    }
}
