internal import CImageCodecs
internal import Foundation

/// WebP in: lossy and lossless stills.
enum WebPDecoder: ImageCodec {
    static let format = ImageFormat.webp

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var header = nb_webp_header()
        try call("The WebP") { error in
            withBytes(data) { nb_webp_read_header($0, $1, &header, error) }
        }
        guard header.animated == 0 else {
            throw ImagingError(
                .unsupported,
                "Animated WebP images are not supported yet; convert it to a still image first."
            )
        }
        let chunks = Chunks(ByteReader(data))
        return ImageHeader(
            format: .webp,
            storedSize: PixelSize(width: Int(header.width), height: Int(header.height)),
            orientation: chunks.orientation,
            hasAlpha: header.alpha != 0,
            colorModel: header.lossless != 0 ? .rgb : .ycbcr,
            profile: chunks.profile,
            exif: chunks.exif,
            xmp: chunks.xmp
        )
    }

    /// Decodes as stored, with its colours in sRGB.
    static func decode(_ data: Data, _ header: ImageHeader, _ request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        let planes = try request.planes(header.hasAlpha ? 4 : 3, of: header.storedSize)
        try call("The WebP") { error in
            planes.withCPlanes { target in
                withBytes(data) { nb_webp_decode($0, $1, target, Int32(planes.count), error) }
            }
        }
        return try ColorProfile.convert(
            Image(colorModel: .rgb, planes: planes),
            profile: header.profile.bytes(in: data)
        )
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        // libwebp's own pixels (at most four bytes), the interleaved ones, the planes, and those again when turned.
        Plane.byteCount(header.storedSize).multipliedClamping(by: 4 + 3 * (header.hasAlpha ? 4 : 3))
    }

    /// The chunks of the extended format (RFC 9649) that matter here.
    private struct Chunks {
        var orientation = Orientation.up
        var profile = EmbeddedProfile.none
        var exif: Range<Int>?
        var xmp: Range<Int>?

        init(_ bytes: ByteReader) {
            var offset = 12
            while let type = bytes.tag(at: offset), let length = bytes.littleEndian32(at: offset + 4) {
                let content = offset + 8..<offset + 8 + length
                if type == "ICCP" { profile = .ranges([content]) }
                if type == "XMP " { xmp = content }
                if type == "EXIF" {
                    let body = Self.withoutPrefix(bytes, content)
                    exif = body
                    orientation = Orientation(exif: bytes.slice(body))
                }
                offset = content.upperBound + length % 2
            }
        }

        /// Some writers put JPEG's prefix before the TIFF header.
        private static func withoutPrefix(_ bytes: ByteReader, _ content: Range<Int>) -> Range<Int> {
            let hasPrefix =
                content.count >= 6 && bytes.starts(with: Array("Exif\0\0".utf8), at: content.lowerBound)
            return hasPrefix ? content.dropFirst(6) : content
        }
    }
}
