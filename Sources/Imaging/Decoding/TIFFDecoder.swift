#if TIFF || PlugIns
internal import CImageCodecs
internal import Foundation

/// Reads TIFF: the gray, RGB, palette, YCbCr, CMYK or CIELAB image of the first directory.
///
/// Uncompressed or compressed with LZW, Deflate, PackBits, JPEG, CCITT, Zstandard, LZMA or WebP, in strips or tiles.
/// Samples have up to 16 bits, or 32, of which 16 are kept. Signed samples below 0 are black. Floating-point RGB is
/// linear light from 0 to 1 unless a profile says otherwise. The first extra sample that is described as alpha is alpha, for
/// all colours but YCbCr that is not JPEG.
enum TIFFDecoder: ImageCodec {
    static let format = ImageFormat.tiff

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_tiff_header()
        try call(data) { nb_tiff_read_header($0, $1, &header, $2) }
        let isCMYK = header.cmyk != 0
        return ImageHeader(
            format: .tiff,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: Orientation(rawValue: Int(header.orientation)) ?? .up,
            hasAlpha: header.alpha != 0,
            colorModel: isCMYK ? .cmyk : header.channels < 3 ? .gray : .rgb,
            bitDepth: isCMYK ? 8 : max(8, Int(header.bits)),
            details: header,
            profile: header.profile_count > 0 ? .boxed : .none
        )
    }

    /// Decodes by rows, strips or rows of tiles and averages by the factor that the request allows.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var details = header.details(nb_tiff_header())
        let (stored, profile) = try pixels(of: data, header: header, request: request) {
            nb_tiff_decode($0, $1, &details, $2, $3)
        }
        guard header.colorModel == .cmyk else { return try ColorProfile.convert(stored, profile: profile) }
        let planes = stored.planes
        let colors = try ColorProfile.convertCMYK(
            try interleaved(Array(planes.prefix(4))),
            size: planes[0].size,
            region: planes[0].region,
            inverted: false,
            profile: profile
        )
        return Image(colorModel: .rgb, planes: colors.planes + planes.dropFirst(4)).warned(
            of: stored.warnings
        )
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let details = header.details(nb_tiff_header())
        let row = header.channels * header.storedSize.width * request.sampleBytes
        let planes = request.cost(of: header)
        let cost = planes.addingClamping(row).addingClamping(details.working_bytes)
        // CMYK is held as planes, interleaved, and as red, green and blue.
        return details.cmyk == 0 ? cost : cost.addingClamping(planes)
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        guard let directory = EXIFDirectory(tiff: data) else { return EmbeddedMetadata() }
        return EmbeddedMetadata(
            exif: EXIFValues.describing(directory),
            xmp: directory.value(.xmp),
            iptc: directory.value(.iptc).flatMap(PhotoshopResources.inOrder)
                ?? directory.value(.photoshop).flatMap(PhotoshopResources.iptc)
        )
    }

    private static func interleaved(_ planes: [Plane]) throws(ImagingError) -> Plane {
        let size = planes[0].size
        let packed = try Plane(PixelSize(width: planes.count * size.width, height: size.height))
        planes.withCPlanes { source in
            [packed].withCPlanes { nb_interleave(source, Int32(planes.count), $0[0].data, $0[0].stride) }
        }
        return packed
    }
}
#endif
