public import Foundation

/// Decodes files to pixels.
public enum ImageDecoder {
    /// The codecs of this build.
    static let codecs: [any ImageCodec.Type] = {
        var codecs: [any ImageCodec.Type] = [
            JPEGDecoder.self, PNGDecoder.self, WebPDecoder.self, BMPDecoder.self, ICODecoder.self,
            SVGDecoder.self,
        ]
        #if GIF || PlugIns
        codecs.append(GIFDecoder.self)
        #endif
        #if TIFF || PlugIns
        codecs.append(TIFFDecoder.self)
        #endif
        #if AVIF || PlugIns
        codecs.append(AVIFDecoder.self)
        #endif
        #if JXL || PlugIns
        codecs.append(JXLDecoder.self)
        #endif
        #if HEIC || PlugIns
        codecs.append(HEICDecoder.self)
        #endif
        return codecs
    }()

    /// The formats that this build reads: JPEG, PNG, WebP, BMP and ICO, those of its traits GIF, TIFF, AVIF, JXL and HEIC, and SVG,
    /// which is drawn where `ImageLimits.allowsSVG` is set.
    public static var formats: Set<ImageFormat> { Set(codecs.map { $0.format }) }

    /// Decodes an image: upright, in sRGB, and no larger than needed.
    ///
    /// With a size to cover, a JPEG is decoded at the smallest of 1/8, 1/4, 1/2 and 1/1 scale whose sides are both at
    /// least as large, at a fraction of the cost of a full decode. After a Lanczos resize, the result differs from that
    /// of a full decode by 36 to 50 dB (300 web photographs to 256 pixels). PNG, WebP, GIF, TIFF and BMP are averaged
    /// while they are decoded, by the largest integer factor that leaves twice the requested size, so memory follows
    /// the size of the result. AVIF, JPEG XL and HEIC are decoded in full and then averaged. SVG is drawn
    /// at the requested size, also above its own. Of an animation, the first frame is read, or the still image of an AVIF; of a TIFF,
    /// the first image; of an ICO, the largest. Orientation is applied. Colours are converted with the embedded ICC profile; a
    /// profile that is broken or above 1 MiB is ignored. An image in PQ or HLG is refused, or tone mapped if `hdr` says so.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The file's header, if it was read before.
    ///   - size: The minimum upright size of the result, as far as the image has the pixels (SVG has any number); nil for its own.
    ///   - bitDepth: 16 to keep the depth of a file with more than 8 bits; otherwise 8.
    ///   - hdr: The treatment of brightness above that of standard screens.
    ///   - limits: The limits above which an image is refused.
    /// - Returns: The upright image.
    /// - Throws: `ImagingError`. Damaged or truncated data is always an error and never gives a partly gray image.
    ///   What was passed over, as common decoders do, is in `Image.warnings`.
    public static func decode(
        _ data: Data,
        header: ImageHeader? = nil,
        covering size: PixelSize? = nil,
        bitDepth: Int = 8,
        hdr: HDRHandling = .drop,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) -> Image {
        let header = if let header { header } else { try ImageHeader.read(data) }
        try header.check(limits)
        try header.check(hdr)
        let request = DecodeRequest(header, covering: size, bitDepth: bitDepth, limits: limits)
        let codec = try codec(of: header.format)
        try limits.check(memory: codec.decodeCost(header, request))
        let decoded = try codec.decode(data, header: header, request: request)
        return try finished(decoded, header, bitDepth: bitDepth)
    }

    /// The image that a codec has decoded, in sRGB and upright.
    static func finished(_ decoded: Image, _ header: ImageHeader, bitDepth: Int) throws(ImagingError) -> Image
    {
        let image = try header.hdr?.toneMapped(decoded) ?? decoded
        let narrowed = bitDepth > 8 ? image : try image.converted(toBitDepth: 8)
        return try narrowed.oriented(header.orientation).warned(of: image.warnings)
    }

    static func codec(of format: ImageFormat) throws(ImagingError) -> any ImageCodec.Type {
        if let codec = codecs.first(where: { $0.format == format }) { return codec }
        throw .unsupported(
            "\(format.name) images are not supported by this build. Convert the file to JPEG, PNG or WebP."
        )
    }
}

/// The header of a file, and what follows from it for a decode.
extension ImageHeader {
    /// Reads the header of an image in any supported format.
    ///
    /// - Throws: `ImagingError` of reason `wrongType` for bytes that are not an image, `unsupported` for an image that
    ///   this build does not decode or a camera's RAW file, `corrupt` or `truncated`.
    public static func read(_ data: Data) throws(ImagingError) -> ImageHeader {
        if let raw = CameraRAW(data) { throw raw.error }
        guard let format = ImageFormat(data) else {
            throw .wrongType(
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

    /// The header of an animation's frames; the same header for a still image.
    ///
    /// It differs where an AVIF has frames of another size, orientation or depth, or with other colours, than the still image
    /// beside them, which `ImageDecoder` shows.
    public var ofFrames: ImageHeader {
        #if AVIF || PlugIns
        if format == .avif, animation != nil { return AVIFDecoder.frameHeader(self) }
        #endif
        return self
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

    func embeddedMetadata(in data: Data) -> EmbeddedMetadata {
        (try? ImageDecoder.codec(of: format))?.readMetadata(data, self) ?? EmbeddedMetadata()
    }
}
