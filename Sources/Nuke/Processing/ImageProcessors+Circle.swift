import Imaging

extension ImageProcessors {
    /// Cuts the largest circle out of the middle; beyond it the image is transparent.
    public struct Circle: ImageProcessing, Hashable, CustomStringConvertible {
        private let border: ImageProcessingOptions.Border?

        /// A circle, with a line along its edge or without; half of the line falls outside, and is cut off.
        public init(border: ImageProcessingOptions.Border? = nil) {
            self.border = border
        }

        /// The circle; nil for an image without pixels, or a line whose width is negative or no number.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            image.applying(Imaging.Circle(border: border.stroke))
        }

        /// All parameters.
        public var identifier: String {
            "com.github.kean/nuke/circle" + (border.map { "?border=\($0)" } ?? "")
        }

        /// All parameters, for people.
        public var description: String { "Circle(border: \(border.text))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.Circle {
    /// Cuts the largest circle out of the middle.
    public static func circle(border: ImageProcessingOptions.Border? = nil) -> ImageProcessors.Circle {
        ImageProcessors.Circle(border: border)
    }
}
