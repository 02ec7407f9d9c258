public import Foundation
import Imaging

extension ImageProcessors {
    /// Rounds the corners off; beyond them the image is transparent.
    public struct RoundedCorners: ImageProcessing, Hashable, CustomStringConvertible {
        private let radius: Double
        private let border: ImageProcessingOptions.Border?

        /// Round corners, with a line along the edge or without; half of the line falls outside, and is cut off.
        ///
        /// - Parameters:
        ///   - radius: of the corners; what is more than half the shorter side counts as half.
        ///   - unit: what the radius is given in; points are pixels.
        ///   - border: the line.
        public init(
            radius: CGFloat,
            unit: ImageProcessingOptions.Unit = .points,
            border: ImageProcessingOptions.Border? = nil
        ) {
            self.radius = Double(radius)
            self.border = border
        }

        /// The image with round corners; nil for an image without pixels, or a radius or line that is negative or no number.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            image.applying(Imaging.RoundedCorners(radius: radius, border: border.stroke))
        }

        /// All parameters.
        public var identifier: String {
            "com.github.kean/nuke/rounded_corners?radius=\(radius)" + (border.map { ",border=\($0)" } ?? "")
        }

        /// All parameters, for people.
        public var description: String { "RoundedCorners(radius: \(radius) pixels, border: \(border.text))" }
    }
}

extension ImageProcessing where Self == ImageProcessors.RoundedCorners {
    /// Rounds the corners off.
    public static func roundedCorners(
        radius: CGFloat,
        unit: ImageProcessingOptions.Unit = .points,
        border: ImageProcessingOptions.Border? = nil
    ) -> ImageProcessors.RoundedCorners {
        ImageProcessors.RoundedCorners(radius: radius, unit: unit, border: border)
    }
}
