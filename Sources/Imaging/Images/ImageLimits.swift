/// The largest image that may be decoded or produced, and whether SVG may be.
///
/// Checked against the header before any pixel is allocated.
public struct ImageLimits: Sendable, Hashable {
    /// The most pixels (width times height); 100 million by default.
    public var maxPixels = 100_000_000
    /// The longest side in pixels; 65 500 by default, which is also JPEG's limit.
    public var maxDimension = Self.largestDimension
    /// The most scans of a progressive JPEG, each a pass over the whole image; 100 by default.
    public var maxScans = 100
    /// The most bytes that a decode may hold at once, as `ImageHeader.decodeCost` counts them; unlimited by default.
    public var maxMemory = Int.max

    /// True to draw SVG, which is refused otherwise; false by default.
    ///
    /// A few bytes of a hostile drawing can take all memory and hours, in librsvg and some fifty libraries under it. Set it in a
    /// process whose memory, time, files and network are limited, and load `CodecPlugIn.svg` before they are. The size of a
    /// drawing is read without it.
    public var allowsSVG = false

    /// The most pixels of an animation, over all frames; 1,000 million by default.
    public var maxAnimationPixels = 1_000_000_000

    /// The most that a job allows.
    package static let largestDimension = 65_500

    /// Creates the default limits.
    public init() {}

    /// Throws if an image of this size exceeds a limit.
    ///
    /// `subject` begins the message: "The image".
    ///
    /// - Throws: `ImagingError` of reason `limits`.
    public func check(_ size: PixelSize, subject: String) throws(ImagingError) {
        let longest = max(size.width, size.height)
        if longest > maxDimension {
            let remedy =
                longest > Self.largestDimension
                ? "Make it smaller: limits.maxDimension goes up to \(Self.largestDimension)."
                : "Raise limits.maxDimension to \(longest) to allow it."
            throw .limits(
                "\(subject) is \(size), but a side may have at most \(maxDimension) pixels. \(remedy)"
            )
        }
        if size.area > maxPixels {
            throw .limits(
                "\(subject) is \(size), but at most \(maxPixels) pixels are allowed. Raise limits.maxPixels to "
                    + "\"\((size.area + 999_999) / 1_000_000)MP\" to allow it."
            )
        }
    }

    /// Throws if all frames of an animation have more pixels than allowed.
    ///
    /// Each frame counts as a whole canvas, and as 64 × 64 pixels if that is smaller: beginning one has a cost too.
    func check(_ animation: AnimationSummary, of canvas: PixelSize) throws(ImagingError) {
        let pixels = max(canvas.area, 64 * 64).multipliedClamping(by: animation.frameCount)
        guard pixels > maxAnimationPixels else { return }
        throw .limits(
            "The animation has \(animation.frameCount) frames of \(canvas), but at most \(maxAnimationPixels) pixels are "
                + "allowed over all frames. Raise maxPixels of the output's animation to "
                + "\"\((pixels + 999_999) / 1_000_000)MP\" to allow it."
        )
    }

    /// Throws if a decode holds more bytes than allowed.
    func check(memory bytes: Int) throws(ImagingError) {
        guard bytes > maxMemory else { return }
        throw .limits(
            "Decoding the image takes \(bytes) bytes, but at most \(maxMemory) are allowed. Raise limits.memory to "
                + "\"\((bytes + 999_999) / 1_000_000)MB\" to allow it (maxMemory of ImageLimits)."
        )
    }
}
