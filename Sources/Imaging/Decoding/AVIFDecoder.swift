#if AVIF || PlugIns
internal import CImageCodecs
internal import Foundation

/// Reads AVIF: stills of 8, 10 and 12 bits, grids, the still image of sequences, and the best layer of progressive files.
///
/// Rotation and mirroring come from the file's own properties (irot, imir); EXIF orientation only repeats them. Colours
/// of another gamut are converted with the ICC profile or the file's code points. PQ and HLG without a profile are left
/// as they are.
enum AVIFDecoder: ImageCodec {
    static let format = ImageFormat.avif

    static func readHeader(_ data: Data) throws(ImagingError) -> ImageHeader {
        var picture = nb_avif_header()
        try call(data) { nb_avif_read_header($0, $1, &picture, $2) }
        let animation = AVIFFrames(ByteReader(data), size: PixelSize(width: 0, height: 0))?.summary
        let frame = animation.flatMap { try? AVIFSequence.readHeader(data, frameCount: $0.frameCount) }
        let gainMap = picture.gain_map != 0 ? GainMapHeader(ofAVIF: data) : nil
        return header(
            AVIFDetails(picture: picture, frame: frame),
            animation,
            gainMap: gainMap,
            brightness: MediaBoxes.brightness(of: data)
        )
    }

    /// The header of a sequence's frames, which may differ from the still image beside it; the same header if there are none.
    static func frameHeader(_ header: ImageHeader) -> ImageHeader {
        guard let frame = details(of: header).frame else { return header }
        return Self.header(AVIFDetails(picture: frame, isFrame: true), header.animation)
    }

    static func header(
        _ details: AVIFDetails,
        _ animation: AnimationSummary?,
        gainMap: GainMapHeader? = nil,
        brightness: @autoclosure () -> [Double?] = []
    ) -> ImageHeader {
        let picture = details.picture
        return ImageHeader(
            format: .avif,
            storedSize: PixelSize(width: Int(picture.width), height: Int(picture.height)),
            orientation: Orientation(rawValue: Int(picture.orientation)) ?? .up,
            hasAlpha: picture.alpha != 0,
            colorModel: picture.gray != 0 ? .gray : .ycbcr,
            bitDepth: Int(picture.depth),
            animation: animation,
            details: details,
            profile: picture.profile != 0 ? .boxed : .none,
            hdr: HDRSignal(picture.hdr, brightness: brightness()),
            gainMap: gainMap
        )
    }

    static func decode(_ data: Data, header: ImageHeader, request: DecodeRequest) throws(ImagingError)
        -> Image
    {
        var details = details(of: header).picture
        try request.limits.check(details.codedSize, subject: "The image before it is cropped")
        return try decode(data, header: header, request: request) { nb_avif_decode($0, $1, &details, $2, $3) }
    }

    static func decodeCost(_ header: ImageHeader, _ request: DecodeRequest) -> Int {
        let isFrame = details(of: header).isFrame
        let details = details(of: header).picture
        // Of a sequence, dav1d keeps eight frames that others refer to (AV1, 7.20), with their state, and the one that libavif
        // shows.
        let decoded = frameCost(
            details.codedSize,
            samples: details.samples,
            depth: details.depth,
            frames: isFrame ? 11 : 2
        )
        // Of each frame, libavif holds 56 bytes, for colours and for alpha, and half as many more while their list grows.
        let list = isFrame ? 200 * min(header.animation?.frameCount ?? 0, Int(NB_AVIF_MOST_FRAMES)) : 0
        let margin = Int(NB_AVIF_MARGIN)
        let shown = PixelSize(
            width: min(Int(details.coded_width), header.storedSize.width + margin),
            height: min(Int(details.coded_height), header.storedSize.height + margin)
        )
        let interleaved = shown.area.multipliedClamping(
            by: (details.alpha != 0 ? 4 : 3) * request.sampleBytes
        )
        return decoded.addingClamping(interleaved).addingClamping(request.cost(of: header))
            .addingClamping(MediaBoxes.decoderCost + list)
    }

    /// The bytes of dav1d's frame, of a second one for film grain or the whole grid, or more, and of their per-block state.
    static func frameCost(_ size: PixelSize, samples: Int32, depth: Int32, frames: Int = 2) -> Int {
        let samples = Int(samples) * (depth > 8 ? 2 : 1)
        return size.area.multipliedClamping(by: (samples * frames + 3) / 4 + frames / 2)
    }

    static func readMetadata(_ data: Data, _ header: ImageHeader) -> EmbeddedMetadata {
        EmbeddedMetadata { found, error in
            withBytes(data) { nb_avif_read_metadata($0, $1, found, error) }
        }
    }

    static func isCutShort(_ data: Data) -> Bool { MediaBoxes.isCutShort(data) }

    static func details(of header: ImageHeader) -> AVIFDetails {
        header.details(AVIFDetails(picture: nb_avif_header()))
    }
}

/// The pictures of an AVIF, as its boxes describe them.
struct AVIFDetails: Sendable {
    /// The still image, or a frame, that the header is about.
    var picture: nb_avif_header
    /// The frames beside a still image; nil if there are none that can be read.
    var frame: nb_avif_header?
    var isFrame = false
}

extension nb_avif_header {
    var codedSize: PixelSize { PixelSize(width: Int(coded_width), height: Int(coded_height)) }
}
#endif
