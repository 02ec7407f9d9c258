public import Foundation

/// Bytes to pixels.
public enum ImageDecoder {
    /// The formats that are read.
    static let codecs: [any ImageCodec.Type] = {
        var codecs: [any ImageCodec.Type] = [
            JPEGDecoder.self, PNGDecoder.self, WebPDecoder.self, BMPDecoder.self,
        ]
        #if GIF
        codecs.append(GIFDecoder.self)
        #endif
        #if TIFF
        codecs.append(TIFFDecoder.self)
        #endif
        #if AVIF
        codecs.append(AVIFDecoder.self)
        #endif
        #if HEIC
        codecs.append(HEICDecoder.self)
        #endif
        return codecs
    }()

    /// Decodes an image: upright, in sRGB, and no larger than needed.
    ///
    /// With a size to cover, a JPEG is decoded at the smallest of 1/8, 1/4, 1/2 and all of its size whose sides are both at
    /// least as large, which costs a fraction of a full decode. After a Lanczos resize the result differs from that of a full
    /// decode by 36 to 50 dB (300 web photographs to 256 pixels). The others are averaged by the largest whole factor that
    /// leaves twice that size: PNG, WebP, GIF, TIFF and BMP while they are decoded, so that memory follows what is asked for.
    /// Of animations the first frame is read, of TIFF the first image.
    /// Orientation is applied. Colours are converted by the embedded ICC profile; one that is broken or above 1 MB is
    /// ignored.
    ///
    /// - Parameters:
    ///   - data: the whole file.
    ///   - header: the file's header, if it was read before.
    ///   - size: the upright pixels that the result must have at least (where the image has them); nil for all.
    ///   - bitDepth: 16 to keep what a file of more than 8 bits has; else 8.
    ///   - limits: what to refuse.
    /// - Returns: the upright image.
    /// - Throws: `ImagingError`. Data that is damaged or cut short is always an error, never a partly gray image.
    public static func decode(
        _ data: Data,
        header: ImageHeader? = nil,
        covering size: PixelSize? = nil,
        bitDepth: Int = 8,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) -> Image {
        let header = if let header { header } else { try ImageHeader.read(data) }
        try header.check(limits)
        let request = DecodeRequest(header, covering: size, bitDepth: bitDepth, limits: limits)
        let decoded = try codec(of: header.format).decode(data, header, request)
        return try decoded.oriented(header.orientation)
    }

    /// What reads a format.
    static func codec(of format: ImageFormat) throws(ImagingError) -> any ImageCodec.Type {
        if let codec = codecs.first(where: { $0.format == format }) { return codec }
        throw ImagingError(
            .unsupported,
            "\(format.rawValue.uppercased()) images are not read by this build; convert it to JPEG, PNG or WebP."
        )
    }
}
