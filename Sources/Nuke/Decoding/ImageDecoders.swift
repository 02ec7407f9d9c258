public import Foundation

/// The decoders that come with the library.
public enum ImageDecoders {
    /// Decodes nothing: it returns an image without pixels and the data, for callers that decode it themselves.
    public struct Empty: ImageDecoding {
        /// True if incomplete data is passed on too.
        public let isProgressive: Bool
        let assetType: AssetType?

        /// False: there is nothing to decode.
        public var isAsynchronous: Bool { false }

        /// Creates a decoder for data of `assetType`.
        public init(assetType: AssetType? = nil, isProgressive: Bool = false) {
            self.assetType = assetType
            self.isProgressive = isProgressive
        }

        /// Returns an image without pixels, and the data.
        public func decode(_ data: Data) throws -> ImageContainer {
            ImageContainer(image: PlatformImage(), type: assetType, data: data)
        }

        /// Returns the same as a preview, if the decoder is progressive.
        public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? {
            guard isProgressive else { return nil }
            return ImageContainer(image: PlatformImage(), type: assetType, isPreview: true, data: data)
        }
    }
}
