import Imaging

extension ImageProcessors {
    /// Crops the image to the largest centred circle; outside it the image is transparent.
    public struct Circle: ImageProcessing, Hashable, CustomStringConvertible {
        private let border: ImageProcessingOptions.Border?

        /// Creates the processor, with an optional border; half of the border falls outside and is cut off.
        public init(border: ImageProcessingOptions.Border? = nil) {
            self.border = border
        }

        /// Returns the circle; nil for an image without pixels, or a border whose width is negative or not a number.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            image.applying(Imaging.Circle(border: border.stroke))
        }

        /// All parameters.
        public var identifier: String {
            "com.github.kean/nuke/circle" + (border.map { "?border=\($0)" } ?? "")
        }

        /// A readable form of all parameters.
        public var description: String { "Circle(border: \(border.text))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Returns a processor that crops to the largest centred circle.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> ImageProcessors.Circle {
        ImageProcessors.Circle(border: border)
    }
}
