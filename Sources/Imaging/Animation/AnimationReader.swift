internal import CImageCodecs
public import Foundation

/// Reads the frames of an animated GIF, WebP, PNG or AVIF, one after another.
///
/// At most three canvases are in memory: the one that the next frame is drawn over, the frame, and the result. Of an AVIF, these
/// are two, and the decoder holds up to eleven frames that others refer to.
public struct AnimationReader {
    /// The faults of the file, as far as it has been read.
    public private(set) var warnings: Set<ImageWarning> = []

    private let data: Data
    private let header: ImageHeader
    private let hdr: HDRHandling
    private let limits: ImageLimits
    private var frames: any StoredFrames
    #if AVIF || PlugIns
    private var sequence: AVIFSequence?
    #endif
    /// The canvas that the next frame is drawn over; nil for a transparent one.
    private var base: Image?
    /// The part of it that is transparent by then.
    private var cleared = nb_box()
    /// The number of frames that were decoded.
    private var count = 0
    private var isEnded = false

    /// Prepares to read.
    ///
    /// - Parameters:
    ///   - data: The whole file.
    ///   - header: The header of this file.
    ///   - hdr: The treatment of brightness above that of standard screens.
    ///   - limits: The limits above which the animation is refused.
    /// - Throws: `ImagingError` of reason `limits`, or `unsupported` for a file that is not animated, or whose brightness `hdr`
    ///   does not permit.
    public init(
        _ data: Data,
        header: ImageHeader,
        hdr: HDRHandling = .drop,
        limits: ImageLimits = ImageLimits()
    ) throws(ImagingError) {
        let header = header.ofFrames
        try header.check(limits)
        try header.check(hdr)
        guard let animation = header.animation, let frames = Self.frames(of: data, header) else {
            throw .unsupported("The image is not animated. Decode it as a still image.")
        }
        try limits.check(animation, of: header.storedSize)
        (self.data, self.header, self.limits, self.frames) = (data, header, limits, frames)
        self.hdr = hdr
        #if AVIF || PlugIns
        if header.format == .avif { sequence = try AVIFSequence(data, header: header) }
        #endif
    }

    /// Reads the next frame.
    ///
    /// Damage behind the first frame ends the animation, with a warning.
    /// - Returns: The frame; nil after the last one.
    /// - Throws: `ImagingError` for a damaged first frame, and of reason `memory`.
    public mutating func next() throws(ImagingError) -> AnimationFrame? {
        guard !isEnded, let frame = frames.next() else {
            if frames.endsEarly { warnings.insert(.animationEnd) }
            return nil
        }
        let pixels: Image
        do {
            pixels = try decode(frame)
        } catch {
            guard count > 0, [.corrupt, .truncated, .unsupported].contains(error.reason) else { throw error }
            isEnded = true
            warnings.insert(.animationEnd)
            return nil
        }
        count += 1
        // What is wrong behind a frame's own pixels is about the file that was made of it.
        warnings.formUnion(pixels.warnings.subtracting([.trailingData, .missingEnd]))
        let canvas = try draw(pixels, frame)
        switch frame.disposal {
        case .keep: (base, cleared) = (canvas, nb_box())
        case .clear: (base, cleared) = (canvas, box(of: frame))
        case .restore: break
        }
        return AnimationFrame(
            image: try canvas.oriented(header.orientation),
            duration: .milliseconds(frame.delay)
        )
    }

    /// The most bytes that reading a frame holds at once; `header` is that of the frames.
    static func memoryCost(_ header: ImageHeader) -> Int {
        let canvas = Plane.byteCount(header.storedSize).multipliedClamping(by: 4)
        let request = DecodeRequest(header, covering: nil, bitDepth: 8, limits: ImageLimits())
        let decode = (try? ImageDecoder.codec(of: header.format).largestDecodeCost(header, request)) ?? 0
        // Two canvases, and one more while it is turned upright.
        return decode.addingClamping(canvas.multipliedClamping(by: 3))
    }

    private static func frames(of data: Data, _ header: ImageHeader) -> (any StoredFrames)? {
        switch header.format {
        case .gif: GIFFrames(ByteReader(data))
        case .webp: WebPFrames(ByteReader(data))
        case .png: PNGFrames(ByteReader(data))
        #if AVIF || PlugIns
        case .avif: AVIFFrames(ByteReader(data), size: header.storedSize)
        #endif
        default: nil
        }
    }

    /// Decodes the pixels of a frame to red, green, blue and alpha, if it has any.
    private func decode(_ frame: StoredFrame) throws(ImagingError) -> Image {
        try checkPlace(frame)
        let image: Image
        switch frames {
        case let frames as GIFFrames: image = try ImageDecoder.decode(frames.file(of: frame), limits: limits)
        case let frames as PNGFrames:
            image = try ImageDecoder.decode(try frames.file(of: frame), hdr: hdr, limits: limits)
        #if AVIF || PlugIns
        case is AVIFFrames:
            guard let sequence else { throw .processing("The frames have no decoder.") }
            image = try sequence.decode(count, of: data, limits: limits)
        #endif
        default:
            let bytes = ByteReader(data).slice(frame.bytes)
            image = try ColorProfile.convert(
                try WebPDecoder.decodeFrame(bytes, size: frame.size),
                profile: header.profile.bytes(in: data)
            )
        }
        return try image.converted(to: .rgb).converted(toBitDepth: 8).warned(of: image.warnings)
    }

    /// Throws unless the frame lies on the canvas; that of a GIF may exceed it, but may not have more pixels.
    private func checkPlace(_ frame: StoredFrame) throws(ImagingError) {
        let canvas = header.storedSize
        let isInside =
            frame.x + frame.size.width <= canvas.width && frame.y + frame.size.height <= canvas.height
        let isClipped = header.format == .gif && frame.size.area <= canvas.area
        guard !isInside && !isClipped else { return }
        throw .corrupt("The animation is damaged: a frame exceeds the canvas. Replace it at its source.")
    }

    private func box(of frame: StoredFrame) -> nb_box {
        let canvas = header.storedSize
        return nb_box(
            left: Int32(frame.x),
            top: Int32(frame.y),
            right: Int32(min(canvas.width, frame.x + frame.size.width)),
            bottom: Int32(min(canvas.height, frame.y + frame.size.height))
        )
    }

    /// Draws a frame on the canvas; opaque canvases have no alpha, which spares processors its work.
    private func draw(_ pixels: Image, _ frame: StoredFrame) throws(ImagingError) -> Image {
        let isWhole = frame.x == 0 && frame.y == 0 && pixels.size == header.storedSize
        if isWhole, !pixels.hasAlpha { return pixels }
        let isOpaque =
            base?.hasAlpha == false && cleared.left >= cleared.right && (frame.blends || !pixels.hasAlpha)
        let planes = try [Plane](isOpaque ? 3 : 4, of: header.storedSize)
        let under = base?.planes ?? []
        var cleared = cleared
        under.withCPlanes { base in
            pixels.planes.withCPlanes { pixels in
                planes.withCPlanes { canvas in
                    nb_compose_frame(
                        base,
                        Int32(base.count),
                        &cleared,
                        pixels,
                        Int32(pixels.count),
                        Int32(frame.x),
                        Int32(frame.y),
                        frame.blends ? 1 : 0,
                        canvas,
                        Int32(canvas.count)
                    )
                }
            }
        }
        return Image(colorModel: .rgb, planes: planes)
    }
}
