public import Foundation

/// The decoders that come with the library.
public enum ImageDecoders {
    /// Decodes nothing: gives an image without pixels, and the data, for whoever decodes it himself.
    public struct Empty: ImageDecoding {
        /// Whether data that is not complete is given on too.
        public let isProgressive: Bool
        let assetType: AssetType?

        /// Not on the decoding queue: there is nothing to do.
        public var isAsynchronous: Bool { false }

        /// A decoder for data of `assetType`.
        public init(assetType: AssetType? = nil, isProgressive: Bool = false) {
            self.assetType = assetType
            self.isProgressive = isProgressive
        }

        /// An image without pixels, and the data.
        public func decode(_ data: Data) throws -> ImageContainer {
            ImageContainer(image: PlatformImage(), type: assetType, data: data)
        }

        /// The same as a preview, if it is progressive.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            guard isProgressive else { return nil }
            return ImageContainer(image: PlatformImage(), type: assetType, isPreview: true, data: data)
        }
    }
}
