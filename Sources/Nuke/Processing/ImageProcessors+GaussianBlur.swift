import Imaging

extension ImageProcessors {
    /// Blurs by three boxes that together come close to a Gaussian whose standard deviation is the radius.
    ///
    /// The same pixels as Nuke 13 makes, to rounding. For the true Gaussian use `Imaging.GaussianBlur`.
    public struct GaussianBlur: ImageProcessing, Hashable, CustomStringConvertible {
        private let radius: Int

        /// A blur of a radius in pixels.
        public init(radius: Int = 8) {
            self.radius = radius
        }

        /// The blurred image; the same one for a radius of 0 or less, nil for an image without pixels.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            guard radius > 0 else { return image }
            return image.applying(BoxBlur(width: width))
        }

        /// The boxes' width after W3C's Filter Effects (feGaussianBlur), the next odd one.
        private var width: Int {
            let exact = Double(radius) * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5
            return Int(min(exact, Double(BoxBlur.maxWidth - 1)).rounded(.down)) | 1
        }

        /// All parameters.
        public var identifier: String { "com.github.kean/nuke/gaussian_blur?radius=\(radius)" }

        /// All parameters, for people.
        public var description: String { "GaussianBlur(radius: \(radius))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.GaussianBlur {
    /// Blurs.
    public static func gaussianBlur(radius: Int = 8) -> ImageProcessors.GaussianBlur {
        ImageProcessors.GaussianBlur(radius: radius)
    }
}
