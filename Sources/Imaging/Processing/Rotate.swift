/// Rotates by quarter turns, then mirrors.
public struct Rotate: ImageOperation {
    /// A mirroring after the rotation.
    public enum Flip: String, Sendable, Hashable, CaseIterable {
        /// Exchanges left and right.
        case horizontal
        /// Exchanges top and bottom.
        case vertical
    }

    /// Degrees clockwise: a multiple of 90, which may be negative.
    public var degrees: Int
    /// The mirroring, if any.
    public var flip: Flip?

    /// Creates a rotation by degrees clockwise (a multiple of 90) and a mirroring.
    public init(degrees: Int = 0, flip: Flip? = nil) {
        self.degrees = degrees
        self.flip = flip
    }

    /// The size of the input, with its sides exchanged by a quarter turn.
    public func outputSize(for input: PixelSize) throws(ImagingError) -> PixelSize {
        try orientation().oriented(input)
    }

    /// The size that the next operation needs, rotated back.
    public func coveringSize(for input: PixelSize, output: PixelSize?) throws(ImagingError) -> PixelSize? {
        let orientation = try orientation()
        return output.map(orientation.oriented)
    }

    /// The rotated image.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        try image.oriented(try orientation())
    }

    /// The turn and the mirroring as one.
    func orientation() throws(ImagingError) -> Orientation {
        switch (((degrees % 360) + 360) % 360, flip) {
        case (0, nil): return .up
        case (0, .horizontal), (180, .vertical): return .upMirrored
        case (180, nil): return .down
        case (0, .vertical), (180, .horizontal): return .downMirrored
        case (90, nil): return .right
        case (270, nil): return .left
        case (90, .horizontal), (270, .vertical): return .leftMirrored
        case (90, .vertical), (270, .horizontal): return .rightMirrored
        default: throw .processing("A rotation by \(degrees)° is not supported. Give a multiple of 90.")
        }
    }
}
