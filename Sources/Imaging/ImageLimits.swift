/// The largest image that is decoded or made: checked against the header, before a pixel is allocated.
public struct ImageLimits: Sendable, Hashable {
    /// Width times height; 100 million by default.
    public var maxPixels = 100_000_000
    /// Either side, in pixels; 65 500 by default, which is also JPEG's limit.
    public var maxDimension = 65_500
    /// Scans of a progressive JPEG, each a pass over the whole image; 100 by default.
    public var maxScans = 100

    /// The default limits.
    public init() {}

    /// Throws if an image of this size passes a limit; `subject` begins the sentence: "The image".
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ size: PixelSize, subject: String) throws(ImagingError) {
        if size.width > maxDimension || size.height > maxDimension {
            throw ImagingError(
                .limits,
                "\(subject) is \(size) and a side may have \(maxDimension) pixels; raise maxDimension to allow it."
            )
        }
        if size.area > maxPixels {
            throw ImagingError(
                .limits,
                "\(subject) is \(size) and may have \(maxPixels) pixels; raise maxPixels to allow it."
            )
        }
    }
}
