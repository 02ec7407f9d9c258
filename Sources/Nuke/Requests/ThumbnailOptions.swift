public import Foundation

extension ImageRequest {
    /// How a decoder makes a small image of a file at once, in place of the whole one.
    public struct ThumbnailOptions: Hashable, Sendable {
        /// What the thumbnail's size is told by.
        enum TargetSize: Hashable, Sendable {
            case longestSide(Double)
            case size(width: Double, height: Double, ImageProcessingOptions.ContentMode)
        }

        let target: TargetSize

        /// Whether one is made if the file holds none; files' own ones are never used here, so this asks for one.
        public var createThumbnailFromImageIfAbsent = true
        /// Whether one is made even if the file holds one.
        public var createThumbnailFromImageAlways = true
        /// Whether it is turned upright as the file's orientation says.
        public var createThumbnailWithTransform = true
        /// Whether its pixels are there at once; they always are.
        public var shouldCacheImmediately = true

        /// A thumbnail whose longer side has at most so many pixels.
        public init(maxPixelSize: CGFloat) {
            target = .longestSide(Double(maxPixelSize))
        }

        /// A thumbnail that fills a size, or fits into it.
        public init(
            size: CGSize,
            unit: ImageProcessingOptions.Unit = .points,
            contentMode: ImageProcessingOptions.ContentMode = .aspectFill
        ) {
            target = .size(width: Double(size.width), height: Double(size.height), contentMode)
        }

        /// Part of the key in the disk cache.
        var identifier: String {
            let flags = [
                createThumbnailFromImageIfAbsent, createThumbnailFromImageAlways,
                createThumbnailWithTransform,
                shouldCacheImmediately,
            ]
            let options = flags.map { "\($0)" }.joined()
            let size =
                switch target {
                case .longestSide(let side): "maxPixelSize=\(side)"
                case .size(let width, let height, let mode):
                    "width=\(width),height=\(height),contentMode=\(mode)"
                }
            return "com.github/kean/nuke/thumbnail?\(size),options=\(options)"
        }
    }
}
