internal import CImageCodecs
internal import Foundation

/// Reads PNG: every colour type and depth, interlaced or not, as gray or RGB with or without alpha.
enum PNGDecoder: ImageCodec {
    static let format = ImageFormat.png

    /// Reads IHDR and finds the chunks that matter (RFC 2083, sections 3 and 11).
    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        let bytes = ByteReader(data)
        guard let width = bytes.bigEndian32(at: 16), let height = bytes.bigEndian32(at: 20),
            let depth = bytes.byte(at: 24), let colorType = bytes.byte(at: 25),
            let interlace = bytes.byte(at: 28)
        else {
            throw ImagingError(.truncated, "The PNG is cut short within its header. Load it again.")
        }
        let sides = 1...Int(Int32.max)
        guard bytes.bigEndian32(at: 8) == 13, bytes.tag(at: 12) == "IHDR", sides.contains(width),
            sides.contains(height), depths[colorType]?.contains(depth) == true, interlace < 2
        else {
            throw ImagingError(
                .corrupt,
                "The PNG is damaged: its header is invalid. Load it again, or replace it at its source."
            )
        }
        let chunks = try Chunks(bytes)
        return ImageHeader(
            format: .png,
            storedSize: PixelSize(width: width, height: height),
            orientation: chunks.orientation,
            hasAlpha: colorType & 4 != 0 || chunks.hasTransparency,
            isProgressive: interlace == 1,
            colorModel: colorType & 2 == 0 ? .gray : .rgb,
            bitDepth: max(8, depth),
            details: CompressedXMP(stream: chunks.compressedXMP),
            profile: chunks.hasProfile ? .compressed : .none,
            exif: chunks.exif,
            xmp: chunks.xmp
        )
    }

    /// Decodes row by row and averages by the factor that the request allows.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        let size = header.storedSize
        let factor = request.shrinkFactor(for: size)
        let planes = try request.planes(channels(of: header), of: size, shrunkBy: factor)
        let (profile, warnings) = try EmbeddedProfile.collect(capacity: header.profile.capacity) {
            (profile, capacity, profileCount) throws(ImagingError) in
            try call("The PNG") { error in
                planes.withCPlanes { target in
                    withBytes(data) {
                        nb_png_decode(
                            $0,
                            $1,
                            Int32(size.width),
                            Int32(size.height),
                            Int32(factor),
                            target,
                            Int32(target.count),
                            NB_PNG_ANY,
                            profile,
                            capacity,
                            profileCount,
                            error
                        )
                    }
                }
            }
        }
        return try ColorProfile.convert(
            Image(colorModel: header.colorModel, planes: planes),
            profile: profile
        ).warned(of: warnings)
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let count = channels(of: header)
        let size = header.storedSize
        let cost = request.cost(count, of: size, shrunkBy: request.shrinkFactor(for: size))
        // An interlaced image is held in full, with interleaved channels. Of any other there is a row of that, and there
        // are the direct decoder's tables, two rows of the file, and the window in which a third is inflated.
        let packed = size.width * count * request.sampleBytes
        let filed = size.width * count * (header.bitDepth / 8)
        let rows = header.isProgressive ? packed.multipliedClamping(by: size.height) : packed + 3 * filed
        return cost.addingClamping(rows).addingClamping(128 << 10)
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        let bytes = ByteReader(data)
        let stream = (header.details as? CompressedXMP)?.stream
        return EmbeddedMetadata(
            exif: header.exif.map(bytes.slice),
            xmp: header.xmp.map(bytes.slice) ?? stream.flatMap { inflated(bytes.slice($0)) }
        )
    }

    /// A deflated XMP packet of at most 1 MiB; nil if it is longer or damaged.
    private static func inflated(_ stream: Data) -> Data? {
        let packet = try? EmbeddedProfile.collect(capacity: EmbeddedProfile.maxByteCount) {
            (packet, capacity, count) throws(ImagingError) in
            try call("The PNG") { error in
                withBytes(stream) { nb_inflate($0, $1, packet, capacity, count, error) }
            }
        }
        return packet?.profile
    }

    private static func channels(of header: ImageHeader) -> Int {
        (header.colorModel == .gray ? 1 : 3) + (header.hasAlpha ? 1 : 0)
    }

    /// The depths that each colour type allows.
    private static let depths: [Int: [Int]] = [
        0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16],
    ]

    /// The location of a compressed XMP packet.
    private struct CompressedXMP {
        let stream: Range<Int>?
    }

    private struct Chunks {
        var orientation = Orientation.up
        var hasTransparency = false
        var hasProfile = false
        var exif: Range<Int>?
        var xmp: Range<Int>?
        var compressedXMP: Range<Int>?

        private static let xmpPrefix = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
        /// The standard keyword, and the one that libvips writes in another chunk.
        private static let compressedPrefixes = [
            "iTXt": Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8), "zTXt": Array("XML:com.adobe.xmp\0\0".utf8),
        ]

        /// Walks the chunks.
        ///
        /// Damage ends the walk, because the decoder reports it.
        init(_ bytes: ByteReader) throws(ImagingError) {
            var offset = 8
            while let length = bytes.bigEndian32(at: offset), let type = bytes.tag(at: offset + 4),
                type != "IEND"
            {
                // libpng may allocate as much as a length says, so the length must be checked first.
                guard offset + 12 + length <= bytes.count else {
                    throw ImagingError(
                        .truncated,
                        "The PNG is cut short within its \(type) chunk. Load it again."
                    )
                }
                let content = offset + 8..<offset + 8 + length
                switch type {
                case "tRNS": hasTransparency = true
                case "iCCP", "gAMA": hasProfile = true
                case "eXIf":
                    exif = content
                    orientation = Orientation(exif: bytes.slice(content))
                case "iTXt", "zTXt":
                    let prefix = Self.compressedPrefixes[type] ?? []
                    if type == "iTXt", let text = bytes.range(after: Self.xmpPrefix, in: content) {
                        xmp = text
                    } else if let stream = bytes.range(after: prefix, in: content) {
                        compressedXMP = stream
                    }
                default: break
                }
                offset += 12 + length
            }
        }
    }
}
