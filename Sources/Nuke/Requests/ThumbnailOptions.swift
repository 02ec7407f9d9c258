public import Foundation

extension ImageRequest {
    /// The options for decoding a small image directly from a file, instead of the whole one.
    public struct ThumbnailOptions: Hashable, Sendable {
        enum TargetSize: Hashable, Sendable {
            case longestSide(Double)
            case size(width: Double, height: Double, ImageProcessingOptions.ContentMode)
        }

        let target: TargetSize

        /// True if one is made when the file holds none; embedded ones are never used here, so this asks for one.
        public var createThumbnailFromImageIfAbsent = true
        /// True if one is made even if the file holds one.
        public var createThumbnailFromImageAlways = true
        /// True if it is turned upright by the file's orientation.
        public var createThumbnailWithTransform = true
        /// True if its pixels are decoded at once, which they always are.
        public var shouldCacheImmediately = true

        /// Creates options for a thumbnail whose longer side has at most `maxPixelSize` pixels.
        public init(maxPixelSize: CGFloat) {
            target = .longestSide(Double(maxPixelSize))
        }

        /// Creates options for a thumbnail that fills a size or fits into it.
        public init(
            size: CGSize,
            unit: ImageProcessingOptions.Unit = .points,
            contentMode: ImageProcessingOptions.ContentMode = .aspectFill
        ) {
            target = .size(width: Double(size.width), height: Double(size.height), contentMode)
        }

        /// The identifier, part of the key in the disk cache.
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
