internal import CImageCodecs
internal import Foundation

/// Reads WebP: lossy and lossless stills, and the first frame of an animation on its canvas.
enum WebPDecoder: ImageCodec {
    static let format = ImageFormat.webp

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        let header = try readFeatures(data)
        let chunks = Chunks(ByteReader(data))
        let canvas = PixelSize(width: Int(header.width), height: Int(header.height))
        let frame =
            header.animated == 0
            ? Frame(bytes: 0..<data.count, x: 0, y: 0, size: canvas)
            : try chunks.frame(on: canvas)
        let image = header.animated == 0 ? header : try readFeatures(frame.slice(of: data))
        return ImageHeader(
            format: .webp,
            storedSize: canvas,
            orientation: chunks.orientation,
            hasAlpha: image.alpha != 0 || frame.size != canvas,
            colorModel: image.lossless != 0 ? .rgb : .ycbcr,
            animation: header.animated == 0 ? nil : AnimationSummary(WebPFrames(ByteReader(data))),
            details: frame,
            profile: chunks.profile,
            exif: chunks.exif,
            xmp: chunks.xmp
        )
    }

    /// Decodes the stored image with its colours in sRGB.
    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        guard let frame = header.details as? Frame else {
            throw .processing("The header belongs to another format. Read the header of this file.")
        }
        let factor = factor(for: header, request)
        let planes = try allocate(
            header,
            request,
            shrunkBy: factor,
            isCovered: frame.size == header.storedSize
        )
        let warnings = try decode(frame.slice(of: data), of: frame.size, shrunkBy: factor, into: planes) {
            frame.size == header.storedSize ? $0 : $0.map(frame.part)
        }
        return try ColorProfile.convert(
            Image(colorModel: .rgb, planes: planes),
            profile: header.profile.bytes(in: data)
        ).warned(of: warnings)
    }

    /// Decodes the image of a frame, with alpha.
    static func decodeFrame(_ bytes: Data, size: PixelSize) throws(ImagingError) -> Image {
        let features = try readFeatures(bytes)
        let planes = try [Plane](features.alpha == 0 ? 3 : 4, of: size)
        let warnings = try decode(bytes, of: size, shrunkBy: 1, into: planes) { $0 }
        return Image(colorModel: .rgb, planes: planes).warned(of: warnings)
    }

    /// Decodes a still image of `size` into the parts of planes that `part` returns.
    private static func decode(
        _ bytes: Data,
        of size: PixelSize,
        shrunkBy factor: Int,
        into planes: [Plane],
        part: ([nb_plane]) -> [nb_plane]
    ) throws(ImagingError) -> Set<ImageWarning> {
        try call(bytes) { bytes, count, error in
            planes.withCPlanes { planes in
                part(planes).withUnsafeBufferPointer { planes in
                    var target = nb_target()
                    target.planes = planes.baseAddress
                    (target.channels, target.factor) = (Int32(planes.count), Int32(factor))
                    return nb_webp_decode(bytes, count, Int32(size.width), Int32(size.height), &target, error)
                }
            }
        }
    }

    static func decodedSize(_ header: ImageHeader, _ request: DecodeRequest) -> PixelSize {
        header.storedSize.shrunk(by: factor(for: header, request))
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let size = header.storedSize
        let factor = factor(for: header, request)
        let planes = request.cost(header.channels, of: size, shrunkBy: factor)
        // Lossless pixels and those of an alpha channel are held in full, lossy ones by rows of blocks.
        let isFull = header.hasAlpha || header.colorModel == .rgb
        let own = (isFull ? size.area.multipliedClamping(by: 5) : 0) + 256 * size.width + 1 << 18
        // The interleaved pixels. Those of RGB are already scaled.
        let packed = header.hasAlpha ? size.area.multipliedClamping(by: 4) : planes / 2
        return planes + own + packed
    }

    private static func readFeatures(_ data: Data) throws(ImagingError) -> nb_webp_header {
        var header = nb_webp_header()
        try call(data) { nb_webp_read_header($0, $1, &header, $2) }
        return header
    }

    /// A frame that does not fill the canvas is not shrunk.
    private static func factor(for header: ImageHeader, _ request: DecodeRequest) -> Int {
        let isCovered = (header.details as? Frame)?.size == header.storedSize
        return isCovered ? request.shrinkFactor(for: header.storedSize) : 1
    }

    private static func allocate(
        _ header: ImageHeader,
        _ request: DecodeRequest,
        shrunkBy factor: Int,
        isCovered: Bool
    ) throws(ImagingError) -> [Plane] {
        let size = header.storedSize
        // libwebp scales the whole image onto the whole planes.
        guard header.hasAlpha else { return try [Plane](3, of: size.shrunk(by: factor)) }
        if isCovered { return try request.planes(4, of: size, shrunkBy: factor) }
        return try (0..<4).map { _ throws(ImagingError) in try Plane.filled(size, with: 0) }
    }

    /// An image within the file and its position on the canvas.
    private struct Frame {
        let bytes: Range<Int>
        let x, y: Int
        let size: PixelSize

        func slice(of data: Data) -> Data { ByteReader(data).slice(bytes) }

        func part(of canvas: nb_plane) -> nb_plane {
            var part = canvas
            part.data += y * canvas.stride + x
            part.width = Int32(size.width)
            part.height = Int32(size.height)
            return part
        }
    }

    /// The chunks of the extended format (RFC 9649) that the decoder reads.
    private struct Chunks {
        var orientation = Orientation.up
        var profile = EmbeddedProfile.none
        var exif: Range<Int>?
        var xmp: Range<Int>?
        private var firstFrame: Frame?

        init(_ bytes: ByteReader) {
            var offset = WebPFrames.firstChunk
            while let (type, content) = bytes.chunk(at: &offset) {
                if type == "ICCP" { profile = .ranges([content]) }
                if type == "XMP " { xmp = content }
                if type == "EXIF" {
                    let body = EXIFDirectory.start(in: bytes, content)
                    exif = body
                    orientation = Orientation(exif: bytes.slice(body))
                }
                if type == "ANMF", firstFrame == nil, content.upperBound <= bytes.count {
                    firstFrame = WebPFrames.frame(bytes, content).map {
                        Frame(bytes: $0.bytes, x: $0.x, y: $0.y, size: $0.size)
                    }
                }
            }
        }

        /// The first frame of an animation.
        func frame(on canvas: PixelSize) throws(ImagingError) -> Frame {
            guard let frame = firstFrame else {
                throw .truncated("The WebP ends before its first frame does. Load it again.")
            }
            guard frame.x + frame.size.width <= canvas.width, frame.y + frame.size.height <= canvas.height
            else {
                throw .corrupt(
                    "The WebP is damaged: its first frame exceeds the canvas. Replace it at its source."
                )
            }
            return frame
        }
    }
}
