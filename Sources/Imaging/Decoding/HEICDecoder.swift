#if HEIC || PlugIns
internal import CImageCodecs
internal import Foundation

/// Reads HEIC: the primary image of 8 bits or more with its alpha, including tiled grids.
///
/// If the primary item does not exist, it reads the first image that no other one has as a thumbnail, an auxiliary
/// image or a part.
///
/// libheif rotates, mirrors and crops by the file's own properties, so the header is upright; EXIF orientation only
/// repeats them. libde265 decodes the HEVC data, and its warnings are errors here.
enum HEICDecoder: ImageCodec {
    static let format = ImageFormat.heic

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        let data = HEICItems.repaired(data)
        var header = nb_heif_header()
        try call(data) { nb_heif_read_header($0, $1, &header, $2) }
        return ImageHeader(
            format: .heic,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            hasAlpha: header.alpha != 0,
            colorModel: .ycbcr,
            bitDepth: Int(header.depth),
            details: header,
            profile: header.profile != 0 ? .boxed : .none,
            hdr: HDRSignal(header.hdr, brightness: MediaBoxes.brightness(of: data))
        )
    }

    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var details = header.details(nb_heif_header())
        try request.limits.check(details.codedSize, subject: "The image before it is cropped")
        return try decode(HEICItems.repaired(data), header: header, request: request) {
            nb_heif_decode($0, $1, &details, $2, $3)
        }
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let details = header.details(nb_heif_header())
        let sampleBytes = details.depth > 8 ? 2 : 1
        // libde265's frame with its per-block state, libheif's copy, its RGB conversion, and that again if rotated.
        let decoded = details.codedSize.area.multipliedClamping(by: (header.hasAlpha ? 12 : 9) * sampleBytes)
        return decoded.addingClamping(request.cost(of: header)).addingClamping(MediaBoxes.decoderCost)
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        let data = HEICItems.repaired(data)
        return EmbeddedMetadata { found, error in
            withBytes(data) { nb_heif_read_metadata($0, $1, found, error) }
        }
    }

    static func isCutShort(_ data: Data) -> Bool { MediaBoxes.isCutShort(data) }
}

extension nb_heif_header {
    fileprivate var codedSize: PixelSize { PixelSize(width: Int(coded_width), height: Int(coded_height)) }
}
#endif
