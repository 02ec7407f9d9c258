public import Foundation

/// The options that several processors share.
public enum ImageProcessingOptions: Sendable {
    /// The unit of a length.
    public enum Unit: CustomStringConvertible, Sendable {
        /// Points, which are pixels: there is no screen with a scale of its own.
        case points
        /// Pixels.
        case pixels

        /// "points" or "pixels".
        public var description: String {
            switch self {
            case .points: "points"
            case .pixels: "pixels"
            }
        }
    }

    /// The way in which an image fills its target.
    public enum ContentMode: CustomStringConvertible, Sendable {
        /// Fills the target; the excess may be cropped.
        case aspectFill
        /// Fits the whole image into the target.
        case aspectFit

        /// ".aspectFill" or ".aspectFit".
        public var description: String {
            switch self {
            case .aspectFill: ".aspectFill"
            case .aspectFit: ".aspectFit"
            }
        }
    }

    /// A border along the edge of an image.
    public struct Border: Hashable, CustomStringConvertible, Sendable {
        /// Its width in pixels.
        public let width: CGFloat
        /// Its colour.
        public let color: PlatformColor

        /// Creates a border with a colour and width.
        public init(color: PlatformColor, width: CGFloat = 1, unit: Unit = .points) {
            self.color = color
            self.width = width
        }

        /// "Border(color: #FF0000, width: 2.0 pixels)".
        public var description: String {
            "Border(color: \(color.hexadecimal), width: \(Double(width)) pixels)"
        }
    }
}
