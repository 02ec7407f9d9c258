public import Foundation
import Imaging

extension ImageProcessors {
    /// Resizes an image in proportion, to fill a size or fit into it.
    public struct Resize: ImageProcessing, Hashable, CustomStringConvertible {
        /// The length in pixels; nil if it follows from the other side.
        private let width, height: Double?
        private let contentMode: ImageProcessingOptions.ContentMode
        private let crop: Bool
        private let upscale: Bool

        /// Returns the resized image; the same one if its size stays, nil for an invalid or too large target.
        public func process(_ image: PlatformImage) -> PlatformImage? {
            guard let size = image.nominalSize ?? image.pixels?.size else { return nil }
            switch change(of: size) {
            case .none: return nil
            case .nothing: return image
            case .resize(let resize):
                return (try? resize.outputSize(for: size)) == size ? image : image.applying(resize)
            }
        }

        /// Returns the size at which to decode an image; nil if every pixel is needed.
        func coveringSize(for size: PixelSize) -> PixelSize? {
            guard case .resize(let resize) = change(of: size) else { return nil }
            return try? resize.coveringSize(for: size, output: nil)
        }

        private enum Change {
            case nothing
            case resize(Imaging.Resize)
        }

        /// Returns the change for an image of a size; nil for an invalid target.
        private func change(of size: PixelSize) -> Change? {
            let targets = [width, height].compactMap(\.self)
            guard targets.allSatisfy({ $0 > 0 && $0.isFinite }) else { return nil }
            let scaleX = width.map { $0 / Double(size.width) }
            let scaleY = height.map { $0 / Double(size.height) }
            let scales = [scaleX, scaleY].compactMap(\.self)
            guard let scale = contentMode == .aspectFill ? scales.max() : scales.min() else { return nil }
            if crop, contentMode == .aspectFill, let width, let height {
                guard let columns = Self.pixels(width), let rows = Self.pixels(height) else { return nil }
                return .resize(
                    Imaging.Resize(
                        width: columns,
                        height: rows,
                        contentMode: .aspectFill,
                        crop: true,
                        upscale: upscale
                    )
                )
            }
            guard scale < 1 || upscale else { return .nothing }
            guard let columns = Self.pixels(Double(size.width) * scale),
                let rows = Self.pixels(Double(size.height) * scale)
            else { return nil }
            return .resize(Imaging.Resize(width: columns, height: rows, contentMode: .fill, upscale: upscale))
        }

        /// Returns whole pixels, at least 1; nil for more than any format allows.
        private static func pixels(_ side: Double) -> Int? {
            side < Double(Int32.max) / 2 ? max(1, Int(side.rounded())) : nil
        }

        /// The sides as Core Graphics prints them; 9999 stands for the side that follows.
        private var sizeText: String { "(\(width ?? 9999), \(height ?? 9999))" }

        /// All parameters.
        public var identifier: String {
            "com.github.kean/nuke/resize?s=\(sizeText),cm=\(contentMode),crop=\(crop),upscale=\(upscale)"
        }

        /// A readable form of all parameters.
        public var description: String {
            "Resize(size: \(sizeText) pixels, contentMode: \(contentMode), crop: \(crop), upscale: \(upscale))"
        }
    }
}

extension ImageProcessors.Resize {
    /// Creates a resize to a size.
    ///
    /// - Parameters:
    ///   - size: The target; processing fails unless width and height are positive and finite.
    ///   - unit: The unit of the target; points are pixels.
    ///   - contentMode: Fills the target or fits into it.
    ///   - crop: With `aspectFill`, true to crop the excess equally on both sides.
    ///   - upscale: True to enlarge smaller images; otherwise they keep their size, cropped to the target's aspect
    ///     ratio if `crop` is set.
    public init(
        size: CGSize,
        unit: ImageProcessingOptions.Unit = .points,
        contentMode: ImageProcessingOptions.ContentMode = .aspectFill,
        crop: Bool = false,
        upscale: Bool = false
    ) {
        self.init(
            width: Double(size.width),
            height: Double(size.height),
            contentMode: contentMode,
            crop: crop,
            upscale: upscale
        )
    }

    /// Creates a resize to a width; the height follows.
    public init(width: CGFloat, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false) {
        self.init(width: Double(width), height: nil, contentMode: .aspectFit, crop: false, upscale: upscale)
    }

    /// Creates a resize to a height; the width follows.
    public init(height: CGFloat, unit: ImageProcessingOptions.Unit = .points, upscale: Bool = false) {
        self.init(width: nil, height: Double(height), contentMode: .aspectFit, crop: false, upscale: upscale)
    }
}

extension ImageProcessing where Self == ImageProcessors.Resize {
    /// Creates a resize to a size.
    public static func resize(
        size: CGSize,
        unit: ImageProcessingOptions.Unit = .points,
        contentMode: ImageProcessingOptions.ContentMode = .aspectFill,
        crop: Bool = false,
        upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(size: size, unit: unit, contentMode: contentMode, crop: crop, upscale: upscale)
    }

    /// Creates a resize to a width; the height follows.
    public static func resize(
        width: CGFloat,
        unit: ImageProcessingOptions.Unit = .points,
        upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(width: width, unit: unit, upscale: upscale)
    }

    /// Creates a resize to a height; the width follows.
    public static func resize(
        height: CGFloat,
        unit: ImageProcessingOptions.Unit = .points,
        upscale: Bool = false
    ) -> ImageProcessors.Resize {
        ImageProcessors.Resize(height: height, unit: unit, upscale: upscale)
    }
}
