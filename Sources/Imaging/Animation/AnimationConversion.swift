internal import CImageCodecs
public import Foundation

/// A conversion of an animation: reads its frames one after another, processes each, and writes them.
public struct AnimationConversion: Sendable {
    /// The operations on each frame.
    ///
    /// Those whose result depends on the pixels in place or size are refused.
    public var operations: OperationChain
    /// The format of the file: WebP, without `minimumSSIMULACRA2`, or GIF.
    public var format: EncodingFormat
    /// The most frames to take; nil for all.
    public var maxFrames: Int?
    /// The longest time of one play, to which the animation is cut; nil for all of it.
    public var maxDuration: Duration?
    /// The treatment of brightness above that of standard screens.
    public var hdr = HDRHandling.drop
    /// The most bytes of a file that is of use; nil for any.
    ///
    /// The quality is lowered as for the format's `maxBytes`.
    public var mostBytes: Int?

    /// That of the frames, which may differ from the still image beside them.
    private let header: ImageHeader

    /// Creates a conversion of all frames of files with this header.
    public init(of header: ImageHeader, _ operations: OperationChain, as format: EncodingFormat = .webp()) {
        (self.header, self.operations, self.format) = (header.ofFrames, operations, format)
    }

    /// The result of a conversion.
    public enum Result: Sendable {
        /// The file, its quality in the format's own numbers (nil if nothing is lost), and what was wrong with the source.
        case file(Data, quality: Int?, warnings: Set<ImageWarning>)
        /// No quality gives a file of `mostBytes`; the smallest has so many bytes.
        case larger(Int)
    }

    /// Converts an animation.
    ///
    /// Reads it once, or up to eight times if its file must be made smaller.
    ///
    /// - Parameters:
    ///   - data: The whole file, with the header of the conversion.
    ///   - metadata: The metadata to write.
    ///   - proceed: Called before each frame; what it throws ends the conversion.
    /// - Returns: The file, unless it is too large to be of use.
    /// - Throws: `ImagingError`; what `proceed` throws.
    public func run(
        on data: Data,
        metadata: ImageMetadata? = nil,
        _ proceed: () throws -> Void = {}
    ) throws -> Result {
        guard format.minimumSSIMULACRA2 == nil else {
            throw ImagingError.processing(
                "An animation cannot be written with a least SSIMULACRA2 score. Give a quality instead."
            )
        }
        guard !operations.operations.contains(where: \.isPlacedByPixels) else {
            throw ImagingError.processing(
                "Trims and smart crops would move from frame to frame. Crop the animation to a given part."
            )
        }
        var warnings: Set<ImageWarning> = []
        func encode(_ format: EncodingFormat) throws -> Data {
            let file = try convert(data, to: format, noting: &warnings, proceed: proceed)
            return MetadataWriter.embed(metadata, in: file, format: format.imageFormat)
        }
        guard let limit = [format.maxBytes, mostBytes].compactMap({ $0 }).min() else {
            return .file(try encode(format), quality: format.quality, warnings: warnings)
        }
        switch try format.fit(into: limit, encode) {
        case .file(let data, let quality): return .file(data, quality: quality, warnings: warnings)
        case .tooLarge(let smallest):
            if let most = format.maxBytes, smallest > most { throw format.tooLarge(smallest, limit: most) }
            return .larger(smallest)
        }
    }

    /// The size of the frames of the result.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func outputSize() throws(ImagingError) -> PixelSize {
        try operations.outputSize(for: header.size)
    }

    /// The most bytes that a conversion holds at once, beside its source.
    ///
    /// - Throws: `ImagingError` of reason `processing` or `limits`.
    public func memoryCost() throws(ImagingError) -> Int {
        let size = try outputSize()
        let work = try operations.memoryCost(
            of: header.size,
            originalSize: header.size,
            bitDepth: 8,
            for: format
        )
        // libwebpmux holds the canvas as it is, as it was, without the last frame, and a copy of it.
        let canvases = Plane.byteCount(size).multipliedClamping(by: 4 * 5)
        // Two files, of which one is being written: lossless ones rarely have two bytes a pixel, others half a byte.
        let frames = min(header.animation?.frameCount ?? 1, maxFrames ?? .max)
        let files = size.area.multipliedClamping(by: frames).multipliedClamping(
            by: format.quality == nil ? 4 : 1
        )
        return AnimationReader.memoryCost(header).addingClamping(work).addingClamping(canvases)
            .addingClamping(files)
    }

    /// The bytes of pixels that a conversion goes through, frame by frame, as often as it may have to.
    public var work: Int {
        let size = (try? outputSize()) ?? header.size
        let frames = min(header.animation?.frameCount ?? 1, maxFrames ?? .max)
        return header.size.area.addingClamping(size.area).multipliedClamping(by: 4 * Self.mostPasses)
            .multipliedClamping(by: frames)
    }

    /// Browsers show a frame of this time, or of less, for 100 ms, so that a rest of it is left out.
    private static let haste = Duration.milliseconds(10)

    /// Measured with 1,600 frames of 320 × 240 pixels: 176 MB in place of 419, in the same time.
    private static let framesBetweenReturns = 32

    /// The file of the given quality, and at most seven smaller ones.
    private static let mostPasses = 8

    private func convert(
        _ data: Data,
        to format: EncodingFormat,
        noting warnings: inout Set<ImageWarning>,
        proceed: () throws -> Void
    ) throws -> Data {
        var reader = try AnimationReader(data, header: header, hdr: hdr, limits: operations.limits)
        let size = try outputSize()
        defer { warnings.formUnion(reader.warnings) }
        var writer = try AnimationWriter(size: size, plays: header.animation?.plays ?? 0, as: format)
        var left = maxDuration
        var count = 0
        while count < maxFrames ?? .max, count == 0 || left ?? .seconds(1) > Self.haste,
            let frame = try reader.next()
        {
            try proceed()
            let image = try operations.apply(to: frame.image, originalSize: header.size, for: format)
            let duration = min(frame.duration, left ?? frame.duration)
            try writer.add(image, for: duration)
            left = left.map { $0 - duration }
            count += 1
            // Each frame that the writer keeps splits the blocks that pixels were in, so that the next ones need others.
            if count.isMultiple(of: Self.framesBetweenReturns) { nb_return_free_memory() }
        }
        return try writer.finish()
    }
}
