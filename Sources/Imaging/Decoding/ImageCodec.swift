internal import CImageCodecs
internal import Foundation

/// A decoder of one format: reads the header, then the pixels.
///
/// Each format has one file and is registered in `ImageDecoder.codecs`.
protocol ImageCodec: SendableMetatype {
    static var format: ImageFormat { get }

    /// Reads the header without decoding any pixel.
    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader

    /// The image as stored (not yet upright), in sRGB, at least as large as requested; one whose header has `hdr` in that signal.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image

    /// The image that the first part of a file shows. Throws `truncated` until there is something to show.
    static func preview(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image

    /// The size of the image that `decode` returns.
    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize

    /// The most bytes that `decode` holds at once, including those for turning the result upright.
    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int

    /// The same for any file with this header: `decode` throws `limits` if it would hold more than the request allows.
    static func largestDecodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int

    /// EXIF data, XMP and IPTC datasets. Damage in them is not an error.
    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata

    /// True if a file that looks damaged lacks its end.
    static func isCutShort(_ data: Data) -> Bool
}

extension ImageCodec {
    /// False, as most decoders tell by themselves.
    static func isCutShort(_ data: Data) -> Bool { false }

    /// Throws `unsupported`: most formats show an image only when the whole file is there.
    static func preview(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        throw .unsupported("\(format.name) files can't be previewed. Wait for the whole file.")
    }

    /// The metadata that the header found as single ranges of the file.
    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        let bytes = ByteReader(data)
        return EmbeddedMetadata(
            exif: header.exif.map(bytes.slice),
            xmp: header.xmp.map(bytes.slice),
            iptc: header.iptc.map(bytes.slice)
        )
    }

    /// The stored size, divided by the factor that the request allows.
    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        header.storedSize.shrunk(by: request.shrinkFactor(for: header.storedSize))
    }

    /// The cost of every decode, as most codecs hold the same for any file.
    static func largestDecodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        decodeCost(header, request)
    }

    /// Calls a function of the C codecs with the bytes of a file.
    ///
    /// - Returns: What the function passed over.
    @discardableResult
    static func call(
        _ data: Data,
        _ body: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<nb_error>) -> nb_status
    ) throws(ImagingError) -> Set<ImageWarning> {
        do throws(ImagingError) {
            return try Imaging.call(format.subject) { error in withBytes(data) { body($0, $1, error) } }
        } catch {
            guard error.reason == .corrupt, isCutShort(data) else { throw error }
            throw .truncated(
                "\(format.subject) is cut short: its boxes are longer than the data. Load it again."
            )
        }
    }

    /// Decodes with a function of the C codecs, and converts the colours by the profile of the file.
    ///
    /// `body` gets the bytes, their count, and what it fills: planes that are smaller by the factor that the request allows.
    static func decode(
        _ data: Data,
        header: ImageHeader,
        request: DecodeRequest,
        by body: Decoder
    ) throws(ImagingError) -> Image {
        let (image, profile) = try pixels(of: data, header: header, request: request, by: body)
        return try ColorProfile.convert(image, profile: profile)
    }

    /// The same with the colours as they are stored, and the profile, which is empty if there is none.
    static func pixels(
        of data: Data,
        header: ImageHeader,
        request: DecodeRequest,
        by body: Decoder
    ) throws(ImagingError) -> (image: Image, profile: Data) {
        let factor = request.shrinkFactor(for: header.storedSize)
        let planes = try request.planes(header.channels, of: header.storedSize, shrunkBy: factor)
        var profile = [UInt8](repeating: 0, count: header.profile.capacity)
        var count = 0
        let warnings = try call(data) { bytes, byteCount, error in
            planes.withCPlanes { planes in
                planes.withUnsafeBufferPointer { planes in
                    profile.withUnsafeMutableBufferPointer { profile in
                        var target = nb_target(
                            planes: planes.baseAddress,
                            channels: Int32(planes.count),
                            factor: Int32(factor),
                            icc: profile.baseAddress,
                            icc_capacity: profile.count,
                            icc_count: 0
                        )
                        defer { count = target.icc_count }
                        return body(bytes, byteCount, &target, error)
                    }
                }
            }
        }
        let image = Image(colorModel: header.colorModel == .gray ? .gray : .rgb, planes: planes)
        return (image.warned(of: warnings), header.profile.bytes(in: data) ?? Data(profile.prefix(count)))
    }

    typealias Decoder = (
        UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<nb_target>, UnsafeMutablePointer<nb_error>
    ) -> nb_status
}

extension PixelSize {
    /// The size after averaging squares of `factor` pixels a side, counting partial squares at the edges.
    func shrunk(by factor: Int) -> PixelSize {
        PixelSize(width: (width + factor - 1) / factor, height: (height + factor - 1) / factor)
    }
}

/// The part of an image's resolution and depth that a decode must return.
struct DecodeRequest: Sendable {
    /// The minimum size of the result, as stored; nil for full size.
    let covering: PixelSize?
    /// Bits per sample that a codec decodes to: 8, or 16 if the file has more than 8 and they are needed.
    let bitDepth: Int
    /// The limits above which an image is refused.
    let limits: ImageLimits

    /// Creates the request on the stored image that yields the upright result.
    init(_ header: ImageHeader, covering size: PixelSize?, bitDepth: Int, limits: ImageLimits) {
        covering = size.map(header.orientation.oriented)
        // Tone mapping and profiles spread a part of the signal, mostly the dark one, of which 8 bits would show.
        let isConverted = header.isHDR || header.profile.isPresent
        self.bitDepth = (bitDepth > 8 || isConverted) && header.bitDepth > 8 ? 16 : 8
        self.limits = limits
    }

    var sampleBytes: Int { bitDepth / 8 }

    /// The factor by which a codec that averages while decoding may shrink a stored image.
    ///
    /// At least twice the requested pixels remain a side, so the box average has no visible effect.
    func shrinkFactor(for size: PixelSize) -> Int {
        guard let covering else { return 1 }
        let factor = min(
            size.width / (2 * max(1, covering.width)),
            size.height / (2 * max(1, covering.height))
        )
        return min(max(1, factor), 256)
    }

    /// Allocates planes for a stored image that is shrunk by a factor.
    func planes(_ count: Int, of size: PixelSize, shrunkBy factor: Int) throws(ImagingError) -> [Plane] {
        let region = Region(
            x: 0,
            y: 0,
            width: Double(size.width) / Double(factor),
            height: Double(size.height) / Double(factor)
        )
        return try [Plane](count, of: size.shrunk(by: factor), region: region, sampleBytes: sampleBytes)
    }

    /// Bytes of the planes of an image, of their copies while they are rotated, and of the sums for averaging.
    func cost(of header: ImageHeader) -> Int {
        cost(header.channels, of: header.storedSize, shrunkBy: shrinkFactor(for: header.storedSize))
    }

    /// The same with another factor.
    func cost(_ count: Int, of size: PixelSize, shrunkBy factor: Int) -> Int {
        let shrunk = size.shrunk(by: factor)
        let sums = factor == 1 ? 0 : 8 * count * size.width
        return Plane.byteCount(shrunk, sampleBytes: sampleBytes).multipliedClamping(by: 2 * count)
            .addingClamping(sums)
    }
}
