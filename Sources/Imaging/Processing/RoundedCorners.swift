/// Rounds the corners.
///
/// The area outside them is transparent, so the result has alpha.
public struct RoundedCorners: ImageOperation {
    /// The radius of the corners in pixels, not negative; clamped to half the shorter side.
    public var radius: Double
    /// A line along the inner edge.
    public var border: Border?

    /// Creates rounded corners of a radius.
    public init(radius: Double, border: Border? = nil) {
        self.radius = radius
        self.border = border
    }

    /// The image as RGB, the coverage of each sample, and the result.
    public var workingMemory: WorkingMemory { WorkingMemory(perInputPixel: 5, perOutputPixel: 8) }

    /// The image with rounded corners.
    public func apply(to image: Image, nominalSize: PixelSize, chroma: ChromaSubsampling?)
        throws(ImagingError) -> Image
    {
        try image.rounded(radius: radius, border: border, of: nominalSize)
    }
}
