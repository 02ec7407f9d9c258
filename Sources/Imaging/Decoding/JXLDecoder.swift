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
        try call("The JPEG XL", data: data) { nb_jxl_read_header($0, $1, &header, $2) }
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
        try decode(data, header: header, request: request, isPartial: false)
    }

    /// Decodes what has been received: first the whole image in an eighth of its resolution, then more of each part.
    static func preview(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        try decode(data, header: header, request: request, isPartial: true)
    }

    private static func decode(
        _ data: Data,
        header: ImageHeader,
        request: DecodeRequest,
        isPartial: Bool
    ) throws(ImagingError) -> Image {
        var details = details(of: header)
        let factor = request.shrinkFactor(for: header.storedSize)
        let planes = try request.planes(channels(of: details), of: header.storedSize, shrunkBy: factor)
        let most = libraryCost(header)
        let (profile, warnings) = try EmbeddedProfile.collect(capacity: header.profile.capacity) {
            (icc, capacity, count) throws(ImagingError) in
            try call("The JPEG XL", data: data, into: planes) {
                nb_jxl_decode(
                    $0,
                    $1,
                    &details,
                    Int32(factor),
                    isPartial ? 1 : 0,
                    most,
                    $2,
                    Int32($2.count),
                    icc,
                    capacity,
                    count,
                    $3
                )
            }
        }
        return try ColorProfile.convert(
            Image(colorModel: details.gray != 0 ? .gray : .rgb, planes: planes),
            profile: profile
        ).warned(of: warnings)
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let channels = channels(of: details(of: header))
        let factor = request.shrinkFactor(for: header.storedSize)
        let interleaved = header.storedSize.area.multipliedClamping(by: channels * request.sampleBytes)
        return libraryCost(header).addingClamping(interleaved).addingClamping(
            request.cost(channels, of: header.storedSize, shrunkBy: factor)
        )
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
        header.storedSize.area.multipliedClamping(by: 16 * Int(details(of: header).channels))
            .addingClamping(fixedCost)
    }

    private static func channels(of header: nb_jxl_header) -> Int {
        (header.gray != 0 ? 1 : 3) + (header.alpha != 0 ? 1 : 0)
    }

    private static func details(of header: ImageHeader) -> nb_jxl_header {
        header.details as? nb_jxl_header ?? nb_jxl_header()
    }
}
#endif
