import Imaging

extension ImageProcessors {
    /// Blurs by three box passes, which approximate a Gaussian whose standard deviation is the radius.
    ///
    /// The result equals Nuke 13's up to rounding. For a true Gaussian use `Imaging.GaussianBlur`.
    public struct GaussianBlur: ImageProcessing, Hashable, CustomStringConvertible {
        private let radius: Int

        /// Creates a blur with a radius in pixels; one of 0 or less changes nothing, and all of these are equal.
        public init(radius: Int = 8) {
            self.radius = max(0, radius)
        }

        /// Returns the blurred image; the same one for a radius of 0 or less, nil for an image without pixels.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            guard radius > 0 else { return image }
            return image.applying(BoxBlur(width: width))
        }

        /// The width of the boxes by W3C's Filter Effects (feGaussianBlur), rounded up to an odd number.
        private var width: Int {
            let exact = Double(radius) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5
            return Int(min(exact, Double(BoxBlur.maxWidth - 1)).rounded(.down)) | 1
        }

        /// All parameters.
        public var identifier: String { "com.github.kean/nuke/gaussian_blur?radius=\(radius)" }

        /// A readable form of all parameters.
        public var description: String { "GaussianBlur(radius: \(radius))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Returns a processor that blurs.
    public static func gaussianBlur(radius: Int = 8) -> ImageProcessors.GaussianBlur {
        ImageProcessors.GaussianBlur(radius: radius)
    }
}
