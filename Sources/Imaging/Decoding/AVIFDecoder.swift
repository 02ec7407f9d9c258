#if AVIF || PlugIns
internal import CImageCodecs
internal import Foundation

/// Reads AVIF: stills of 8, 10 and 12 bits, grids, and the first image of animated and progressive files.
///
/// Rotation and mirroring come from the file's own properties (irot, imir); EXIF orientation only repeats them. Colours
/// of another gamut are converted with the ICC profile or the file's code points. PQ and HLG without a profile are left
/// as they are.
enum AVIFDecoder: ImageCodec {
    static let format = ImageFormat.avif

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_avif_header()
        try MediaBoxes.call("The AVIF", data: data) { bytes, count, error in
            nb_avif_read_header(bytes, count, &header, error)
        }
        return ImageHeader(
            format: .avif,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: Orientation(rawValue: Int(header.orientation)) ?? .up,
            hasAlpha: header.alpha != 0,
            colorModel: header.gray != 0 ? .gray : .ycbcr,
            bitDepth: Int(header.depth),
            details: header,
            profile: header.profile != 0 ? .boxed : .none,
            hdr: HDRSignal(header.hdr)
        )
    }

    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var details = details(of: header)
        try request.limits.check(details.codedSize, subject: "The image before it is cropped")
        let factor = request.shrinkFactor(for: header.storedSize)
        let planes = try request.planes(channels(of: details), of: header.storedSize, shrunkBy: factor)
        let (profile, warnings) = try MediaBoxes.decode("The AVIF", data: data, header: header, into: planes)
        {
            nb_avif_decode($0, $1, &details, Int32(factor), $2, $3, $4, $5, $6, $7)
        }
        return try ColorProfile.convert(
            Image(colorModel: details.gray != 0 ? .gray : .rgb, planes: planes),
            profile: profile
        ).warned(of: warnings)
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let details = details(of: header)
        let area = details.codedSize.area
        // dav1d's frame, a second one for film grain or the whole grid, and its per-block state.
        let decoded = area.multipliedClamping(by: Int(details.samples) * (details.depth > 8 ? 2 : 1) / 2 + 1)
        let margin = Int(NB_AVIF_MARGIN)
        let shown = PixelSize(
            width: min(Int(details.coded_width), header.storedSize.width + margin),
            height: min(Int(details.coded_height), header.storedSize.height + margin)
        )
        let interleaved = shown.area.multipliedClamping(
            by: (details.alpha != 0 ? 4 : 3) * request.sampleBytes
        )
        return decoded.addingClamping(interleaved).addingClamping(
            request.cost(
                channels(of: details),
                of: header.storedSize,
                shrunkBy: request.shrinkFactor(for: header.storedSize)
            )
        ).addingClamping(MediaBoxes.decoderCost)
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        EmbeddedMetadata { found, error in
            withBytes(data) { nb_avif_read_metadata($0, $1, found, error) }
        }
    }

    private static func channels(of header: nb_avif_header) -> Int {
        (header.gray != 0 ? 1 : 3) + (header.alpha != 0 ? 1 : 0)
    }

    private static func details(of header: ImageHeader) -> nb_avif_header {
        header.details as? nb_avif_header ?? nb_avif_header()
    }
}

extension nb_avif_header {
    fileprivate var codedSize: PixelSize { PixelSize(width: Int(coded_width), height: Int(coded_height)) }
}
#endif
