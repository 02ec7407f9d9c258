public import Foundation
import Imaging

extension ImageProcessors {
    /// Rounds the corners; outside them the image is transparent.
    public struct RoundedCorners: ImageProcessing, Hashable, CustomStringConvertible {
        private let radius: Double
        private let border: ImageProcessingOptions.Border?

        /// Creates the processor, with an optional border; half of the border falls outside and is cut off.
        ///
        /// - Parameters:
        ///   - radius: The radius of the corners; at most half of the shorter side is used.
        ///   - unit: The unit of the radius; points are pixels.
        ///   - border: The border; nil for none.
        public init(
            radius: CGFloat,
            unit: ImageProcessingOptions.Unit = .points,
            border: ImageProcessingOptions.Border? = nil
        ) {
            self.radius = Double(radius)
            self.border = border
        }

        /// Returns the image with round corners; nil for an image without pixels, or a negative or invalid radius or border.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            image.applying(Imaging.RoundedCorners(radius: radius, border: border.stroke))
        }

        /// All parameters.
        public var identifier: String {
            "com.github.kean/nuke/rounded_corners?radius=\(radius)" + (border.map { ",border=\($0)" } ?? "")
        }

        /// A readable form of all parameters.
        public var description: String { "RoundedCorners(radius: \(radius) pixels, border: \(border.text))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Returns a processor that rounds the corners.
    public static func roundedCorners(
        radius: CGFloat,
        unit: ImageProcessingOptions.Unit = .points,
        border: ImageProcessingOptions.Border? = nil
    ) -> ImageProcessors.RoundedCorners {
        ImageProcessors.RoundedCorners(radius: radius, unit: unit, border: border)
    }
}
