public import Foundation

/// What several processors are told.
public enum ImageProcessingOptions: Sendable {
    /// What a length is given in.
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

    /// How an image meets its target.
    public enum ContentMode: CustomStringConvertible, Sendable {
        /// The target filled; what stands out may be cut.
        case aspectFill
        /// The whole image within the target.
        case aspectFit

        /// ".aspectFill" or ".aspectFit".
        public var description: String {
            switch self {
            case .aspectFill: ".aspectFill"
            case .aspectFit: ".aspectFit"
            }
        }
    }

    /// A line along the edge of an image.
    public struct Border: Hashable, CustomStringConvertible, Sendable {
        /// Its width in pixels.
        public let width: CGFloat
        /// Its colour.
        public let color: PlatformColor

        /// A line of a colour and width.
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
