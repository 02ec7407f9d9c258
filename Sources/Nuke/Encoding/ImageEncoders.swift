public import Foundation
import Imaging

/// The encoders that come with the library.
public enum ImageEncoders {
    /// Writes images without alpha as JPEG, those with alpha as PNG.
    ///
    /// The format of the pixels decides if an image has alpha, not their values.
    public struct Default: ImageEncoding {
        /// The quality of JPEGs, 0 to 1; 0.8 by default.
        public var compressionQuality: Float
        /// True if HEIF is preferred to JPEG; has no effect here, since HEIF is not written.
        public var isHEIFPreferred = false

        /// Creates an encoder with a quality for JPEGs.
        public init(compressionQuality: Float = 0.8) {
            self.compressionQuality = compressionQuality
        }

        /// Returns the encoded image; nil if it has no pixels or is larger than the format allows.
        public func encode(_ image: PlatformImage) -> Data? {
            let type = image.isOpaque ? AssetType.jpeg : .png
            return ImageIO(type: type, compressionRatio: compressionQuality).encode(image)
        }
    }

    /// Writes images as one type: JPEG, PNG, WebP, or AVIF and JPEG XL if the build has them.
    ///
    /// Transparent pixels become white in a JPEG.
    public struct ImageIO: ImageEncoding {
        /// The type.
        public let type: AssetType
        /// The quality, 0 to 1; ignored for PNG.
        public let compressionRatio: Float

        /// Creates an encoder for a type.
        public init(type: AssetType, compressionRatio: Float = 0.8) {
            self.type = type
            self.compressionRatio = compressionRatio
        }

        /// True if images can be written as `type`.
        public static func isSupported(type: AssetType) -> Bool {
            guard let format = format(of: type, quality: 80) else { return false }
            return Imaging.ImageEncoder.formats.contains(format.imageFormat)
        }

        /// Returns the encoded image; nil if it has no pixels, is larger than the format allows, or the type is not supported.
        public func encode(_ image: PlatformImage) -> Data? {
            guard let pixels = image.pixels, let format = Self.format(of: type, quality: quality) else {
                return nil
            }
            return try? Imaging.ImageEncoder.encode(pixels, as: format)
        }

        /// The quality in hundredths, clamped to 1...100, since 1 is the least of JPEG.
        private var quality: Int {
            let ratio = compressionRatio.isNaN ? 0.8 : min(max(compressionRatio, 0), 1)
            return max(1, Int((ratio * 100).rounded()))
        }

        private static func format(of type: AssetType, quality: Int) -> EncodingFormat? {
            switch type {
            case .jpeg: .jpeg(JPEGOptions(quality: quality))
            case .png: .png()
            case .webp: .webp(WebPOptions(quality: quality))
            case .avif: .avif(AVIFOptions(quality: quality))
            case .jxl: .jxl(JPEGXLOptions(distance: JPEGXLOptions.distance(ofQuality: quality)))
            default: nil
            }
        }
    }
}

extension ImageEncoding where Self == ImageEncoders.Default {
    /// Writes images without alpha as JPEG, those with alpha as PNG.
    public static func `default`(compressionQuality: Float = 0.8) -> ImageEncoders.Default {
        ImageEncoders.Default(compressionQuality: compressionQuality)
    }
}

extension ImageEncoding where Self == ImageEncoders.ImageIO {
    /// Writes images as one type.
    public static func imageIO(type: AssetType, compressionRatio: Float = 0.8) -> ImageEncoders.ImageIO {
        ImageEncoders.ImageIO(type: type, compressionRatio: compressionRatio)
    }
}
