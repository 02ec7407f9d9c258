public import Foundation
import Imaging

/// A decoded image: upright, sRGB, immutable, cheap to copy.
///
/// Safe to use from any thread. Two images are equal if they have the same size and the same pixels.
public final class PlatformImage: Sendable, Hashable, CustomStringConvertible {
    /// The pixels; nil for an image without any.
    let pixels: Image?
    /// The full size of an image that was decoded smaller for a resize that follows; else nil.
    let nominalSize: PixelSize?

    /// Creates an image without pixels, 0 by 0.
    public init() {
        pixels = nil
        nominalSize = nil
    }

    /// Creates an image from a file in any supported format; nil if the data is not an image or is damaged.
    public convenience init?(data: Data) {
        guard let pixels = try? Imaging.ImageDecoder.decode(data) else { return nil }
        self.init(pixels)
    }

    /// Creates an image from interleaved red, green, blue and straight alpha, 8 bits each, rows from top to bottom without gaps.
    ///
    /// The image has no pixels if the count of `rgba` is not `width * height * 4`.
    public init(width: Int, height: Int, rgba: Data) {
        pixels = try? Image(width: width, height: height, rgba: rgba)
        nominalSize = nil
    }

    init(_ pixels: Image, standingFor nominalSize: PixelSize? = nil) {
        self.pixels = pixels
        self.nominalSize = nominalSize == pixels.size ? nil : nominalSize
    }

    /// The width in pixels.
    public var width: Int { pixels?.size.width ?? 0 }
    /// The height in pixels.
    public var height: Int { pixels?.size.height ?? 0 }
    /// The width and height in pixels, which are points here.
    public var size: CGSize { CGSize(width: width, height: height) }
    /// True if the format of the pixels has no alpha; the pixels themselves are not examined.
    public var isOpaque: Bool { !(pixels?.hasAlpha ?? false) }

    /// The pixels as interleaved red, green, blue and straight alpha, 8 bits each, rows without gaps; nil without pixels.
    public var rgba: Data? { try? pixels?.rgba() }

    /// Returns another image that shares the same pixels.
    public func copy() -> PlatformImage {
        guard let pixels else { return PlatformImage() }
        return PlatformImage(pixels, standingFor: nominalSize)
    }

    /// The size, colour model and depth, such as "640 × 480, YCbCr, 8 bit".
    public var description: String {
        guard let pixels else { return "0 × 0" }
        let model =
            switch pixels.colorModel {
            case .gray: "gray"
            case .ycbcr: "YCbCr"
            case .rgb: "RGB"
            case .cmyk: "CMYK"
            }
        return "\(width) × \(height), \(model)\(pixels.hasAlpha ? " with alpha" : ""), \(pixels.bitDepth) bit"
    }

    /// True if both have the same size and pixels.
    public static func == (lhs: PlatformImage, rhs: PlatformImage) -> Bool {
        guard lhs !== rhs else { return true }
        guard lhs.width == rhs.width, lhs.height == rhs.height else { return false }
        return lhs.rgba == rhs.rgba
    }

    /// Hashes the size.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(width)
        hasher.combine(height)
    }
}
