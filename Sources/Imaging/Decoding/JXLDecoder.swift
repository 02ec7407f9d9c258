#if JXL || PlugIns
internal import CImageCodecs
internal import Foundation

/// Reads JPEG XL: stills of up to 16 bits, and the first frame of an animation.
///
/// The orientation is the file's own; EXIF orientation only repeats it. Colours that are stored as XYB become sRGB in libjxl,
/// others are converted with their profile. PQ and HLG without an ICC profile are left as they are; inks are refused.
enum JXLDecoder: ImageCodec {
    static let format = ImageFormat.jxl

    /// Bytes that libjxl allocates whatever the image's size: its tables, and groups of 256 × 256 pixels.
    private static let fixedCost = 16 << 20

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_jxl_header()
        try call(data) { nb_jxl_read_header($0, $1, &header, $2) }
        return ImageHeader(
            format: .jxl,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: Orientation(rawValue: Int(header.orientation)) ?? .up,
            hasAlpha: header.alpha != 0,
            colorModel: header.gray != 0 ? .gray : .rgb,
            bitDepth: Int(header.depth),
            details: header,
            profile: header.profile != 0 ? .boxed : .none,
            hdr: HDRSignal(header.hdr)
        )
    }

    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        try decode(data, header: header, request: request, isPartial: 0)
    }

    /// Decodes what has been received: first the whole image in an eighth of its resolution, then more of each part.
    static func preview(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        try decode(data, header: header, request: request, isPartial: 1)
    }

    private static func decode(
        _ data: Data,
        header: ImageHeader,
        request: DecodeRequest,
        isPartial: Int32
    ) throws(ImagingError) -> Image {
        var details = header.details(nb_jxl_header())
        let most = libraryCost(header)
        return try decode(data, header: header, request: request) {
            nb_jxl_decode($0, $1, &details, isPartial, most, $2, $3)
        }
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let interleaved = header.storedSize.area.multipliedClamping(by: header.channels * request.sampleBytes)
        return libraryCost(header).addingClamping(interleaved).addingClamping(request.cost(of: header))
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        EmbeddedMetadata { found, error in
            withBytes(data) { nb_jxl_read_metadata($0, $1, found, error) }
        }
    }

    /// The most bytes that libjxl holds for an image: of each channel, floating-point samples and coefficients.
    ///
    /// Measured: up to 9 bytes for a sample of 7.8 megapixels, whichever way it is stored, and up to 15 in small images.
    private static func libraryCost(_ header: ImageHeader) -> Int {
        header.storedSize.area.multipliedClamping(by: 16 * Int(header.details(nb_jxl_header()).channels))
            .addingClamping(fixedCost)
    }
}
#endif
