internal import Foundation

/// A format that is read: what its header says, and its pixels.
///
/// One file each, registered in `ImageDecoder.codecs`.
protocol ImageCodec: SendableMetatype {
    /// The format.
    static var format: ImageFormat { get }

    /// What the file says before any pixel is decoded.
    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader

    /// The image as stored (not yet upright), in sRGB, at least as large as asked for.
    static func decode(_ data: Data, _ header: ImageHeader, _ request: DecodeRequest) throws(ImagingError)
        -> Image

    /// What a part of the file from its first byte on shows, else as `decode`; `truncated` while it shows nothing.
    static func preview(_ data: Data, _ header: ImageHeader, _ request: DecodeRequest) throws(ImagingError)
        -> Image

    /// The size of what `decode` gives.
    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize

    /// The most bytes that `decode` holds at once, and what turning the result upright takes.
    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int

    /// EXIF data, XMP and IPTC datasets; damage in them is no error.
    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata
}

extension ImageCodec {
    /// Nothing: most formats show an image when all of it is there.
    static func preview(_ data: Data, _ header: ImageHeader, _ request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        throw ImagingError(
            .unsupported,
            "A part of a \(format.rawValue.uppercased()) is not shown. Wait for all of it."
        )
    }

    /// What stands in one piece each, where the header found it.
    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        let bytes = ByteReader(data)
        return EmbeddedMetadata(
            exif: header.exif.map(bytes.slice),
            xmp: header.xmp.map(bytes.slice),
            iptc: header.iptc.map(bytes.slice)
        )
    }
}

extension ImageCodec {
    /// The stored size, averaged as far as the request allows.
    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        header.storedSize.shrunk(by: request.shrinkFactor(for: header.storedSize))
    }
}

extension PixelSize {
    /// The size after averaging squares of so many pixels a side, those that are cut at the edges too.
    func shrunk(by factor: Int) -> PixelSize {
        PixelSize(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
    }
}

/// How much of an image is to be decoded.
struct DecodeRequest: Sendable {
    /// The pixels that the result must have at least, as stored; nil for all.
    let covering: PixelSize?
    /// Bits of a sample in the result: 8, or 16 where the file has more than 8.
    let bitDepth: Int
    /// What to refuse.
    let limits: ImageLimits

    /// What an upright result asks of the stored image.
    init(_ header: ImageHeader, covering size: PixelSize?, bitDepth: Int, limits: ImageLimits) {
        covering = size.map(header.orientation.oriented)
        self.bitDepth = bitDepth > 8 && header.bitDepth > 8 ? 16 : 8
        self.limits = limits
    }

    var sampleBytes: Int { bitDepth / 8 }

    /// By how much a codec that averages while it decodes may shrink a stored image, so that twice the pixels are left
    /// that the result must have: the box average then costs nothing that is seen.
    func shrinkFactor(for size: PixelSize) -> Int {
        guard let covering else { return 1 }
        let factor = min(
            size.width / (2 * max(1, covering.width)),
            size.height / (2 * max(1, covering.height))
        )
        return min(max(1, factor), 256)
    }

    /// Planes for a stored image that is shrunk by a factor.
    func planes(
        _ count: Int,
        of size: PixelSize,
        shrunkBy factor: Int = 1
    ) throws(ImagingError) -> [Plane] {
        let shrunk = size.shrunk(by: factor)
        var planes: [Plane] = []
        for _ in 0..<count {
            planes.append(
                try Plane(
                    width: shrunk.width,
                    height: shrunk.height,
                    region: Region(
                        x: 0,
                        y: 0,
                        width: Double(size.width) / Double(factor),
                        height: Double(size.height) / Double(factor)
                    ),
                    sampleBytes: sampleBytes
                )
            )
        }
        return planes
    }

    /// Bytes of such planes, and of their copies when they are turned, and of a shrinker's sums.
    func cost(_ count: Int, of size: PixelSize, shrunkBy factor: Int = 1) -> Int {
        let shrunk = size.shrunk(by: factor)
        let sums = factor == 1 ? 0 : 8 * count * size.width
        return Plane.byteCount(shrunk, sampleBytes: sampleBytes).multipliedClamping(by: 2 * count)
            .addingClamping(sums)
    }
}
