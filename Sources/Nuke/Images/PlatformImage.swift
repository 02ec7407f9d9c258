public import Foundation
import Imaging

/// A decoded image: upright, sRGB, immutable, cheap to pass on.
///
/// May be used from any thread. Two images are equal if they have the same size and the same pixels.
public final class PlatformImage: Sendable, Hashable {
    /// The pixels; nil for an image without any.
    let pixels: Image?
    /// The size that it stands for, where it was decoded smaller because a resize follows; else nil.
    let nominalSize: PixelSize?

    /// An image without pixels, 0 by 0.
    public init() {
        pixels = nil
        nominalSize = nil
    }

    /// The image of a file in any format that is decoded; nil if the data is none, or is damaged.
    public convenience init?(data: Data) {
        guard let pixels = try? Imaging.ImageDecoder.decode(data) else { return nil }
        self.init(pixels)
    }

    /// An image of interleaved red, green, blue and straight alpha, 8 bits each, rows from top to bottom without gaps.
    ///
    /// Without pixels if `rgba` has another count than `width * height * 4`.
    public init(width: Int, height: Int, rgba: Data) {
        pixels = try? Image(width: width, height: height, rgba: rgba)
        nominalSize = nil
    }

    init(_ pixels: Image, standingFor nominalSize: PixelSize? = nil) {
        self.pixels = pixels
        self.nominalSize = nominalSize == pixels.size ? nil : nominalSize
    }

    /// Pixels from left to right.
    public var width: Int { pixels?.size.width ?? 0 }
    /// Pixels from top to bottom.
    public var height: Int { pixels?.size.height ?? 0 }
    /// Whether the format of the pixels has no alpha; the pixels themselves are not looked at.
    public var isOpaque: Bool { !(pixels?.hasAlpha ?? false) }

    /// The pixels as interleaved red, green, blue and straight alpha, 8 bits each, rows without gaps; nil without pixels.
    public var rgba: Data? { try? pixels?.rgba() }

    /// Another image with the same pixels, which are shared.
    public func copy() -> PlatformImage {
        guard let pixels else { return PlatformImage() }
        return PlatformImage(pixels, standingFor: nominalSize)
    }

    /// Whether both have the same size and pixels.
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
