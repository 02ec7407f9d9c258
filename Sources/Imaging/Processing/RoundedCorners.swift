/// Rounds the corners off: what is beyond them is transparent, so that the result has alpha.
public struct RoundedCorners: ImageOperation {
    /// Radius of the corners in pixels, not negative; more than half the shorter side counts as half.
    public var radius: Double
    /// A line along the edge, inside of it.
    public var border: Border?

    /// Corners of a radius.
    public init(radius: Double, border: Border? = nil) {
        self.radius = radius
        self.border = border
    }

    /// The image as RGB, how much of each sample is covered, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 8) }

    /// The image with round corners.
    public func apply(
        to image: Image,
        nominalSize: PixelSize,
        chroma: ChromaSubsampling?
    ) throws(ImagingError) -> Image {
        try image.rounded(radius: radius, border: border, of: nominalSize)
    }
}
