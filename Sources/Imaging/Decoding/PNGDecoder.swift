internal import CImageCodecs
internal import Foundation

/// Reads PNG: every colour type and depth, interlaced or not, as gray or RGB with or without alpha.
enum PNGDecoder: ImageCodec {
    static let format = ImageFormat.png

    /// Reads IHDR and finds the chunks that count.
    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_png_header()
        try call(data) { nb_png_read_header($0, $1, &header, $2) }
        let bytes = ByteReader(data)
        let exif = header.exif.range.map { EXIFDirectory.start(in: bytes, $0) }
        return ImageHeader(
            format: .png,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: exif.map { Orientation(exif: bytes.slice($0)) } ?? .up,
            hasAlpha: header.color_type & 4 != 0 || header.transparency != 0,
            isProgressive: header.is_interlaced != 0,
            colorModel: header.color_type & 2 == 0 ? .gray : .rgb,
            bitDepth: max(8, Int(header.depth)),
            animation: PNGFrames(bytes).flatMap { AnimationSummary($0) },
            details: header,
            profile: header.profile != 0 ? .compressed : .none,
            hdr: HDRSignal(
                header.hdr,
                brightness: [
                    header.content_light.range.flatMap { bytes.brightness(at: $0.lowerBound) },
                    header.screen_light.range.flatMap { bytes.brightness(at: $0.lowerBound + 16) },
                ]
            ),
            exif: exif,
            xmp: header.xmp.range
        )
    }

    /// Decodes row by row and averages by the factor that the request allows.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        let (width, height) = (Int32(header.storedSize.width), Int32(header.storedSize.height))
        let (stored, profile) = try pixels(of: data, header: header, request: request) {
            nb_png_decode($0, $1, width, height, NB_PNG_ANY, $2, $3)
        }
        widenRange(of: stored, header)
        return try ColorProfile.convert(stored, profile: profile)
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let count = header.channels
        let size = header.storedSize
        // An interlaced image is held in full, with interleaved channels. Of any other there is a row of that, and there
        // are the direct decoder's tables, two rows of the file, and the window in which a third is inflated.
        let packed = size.width * count * request.sampleBytes
        let filed = size.width * count * (header.bitDepth / 8)
        let rows = header.isProgressive ? packed.multipliedClamping(by: size.height) : packed + 3 * filed
        return request.cost(of: header).addingClamping(rows).addingClamping(128 << 10)
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        let bytes = ByteReader(data)
        let stream = header.details(nb_png_header()).deflated_xmp.range
        return EmbeddedMetadata(
            exif: header.exif.map(bytes.slice),
            xmp: header.xmp.map(bytes.slice) ?? stream.flatMap { inflated(bytes.slice($0)) }
        )
    }

    /// A deflated XMP packet of at most 1 MiB; nil if it is longer or damaged.
    private static func inflated(_ stream: Data) -> Data? {
        var (packet, count) = ([UInt8](repeating: 0, count: EmbeddedMetadata.maxByteCount), 0)
        let capacity = packet.count
        let inflated = try? call(stream) { nb_inflate($0, $1, &packet, capacity, &count, $2) }
        return inflated.map { _ in Data(packet.prefix(count)) }
    }

    /// Makes colours of 16 to 235, of 255, colours of 0 to 255 (ITU-T H.273, equations 7 to 9), in place.
    private static func widenRange(of image: Image, _ header: ImageHeader) {
        guard header.details(nb_png_header()).is_narrow != 0 else { return }
        let most = Double(image.bitDepth > 8 ? UInt16.max : UInt16(UInt8.max))
        // In a file of 16 bits, 235 is 235 × 256 of 65,535.
        let unit = header.bitDepth > 8 ? 256 / 65_535.0 : 1 / 255.0
        let table = (0...Int(most)).map { value in
            let share = (Double(value) / most - 16 * unit) / (219 * unit)
            return UInt16((min(max(share, 0), 1) * most).rounded())
        }
        image.colorPlanes.withCPlanes { planes in
            for plane in planes { nb_map([plane], table, [plane]) }
        }
    }
}

extension nb_range {
    /// The range; nil if it is empty.
    fileprivate var range: Range<Int>? { count == 0 ? nil : start..<start + count }
}
