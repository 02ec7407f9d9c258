public import FoundationNetworking

/// The response to a request for an image.
public struct ImageResponse: Sendable {
    /// The image with its type, data and user info.
    public var container: ImageContainer
    /// The request.
    public var request: ImageRequest
    /// The response that the data came with; nil if it was not loaded now.
    public var urlResponse: URLResponse?
    /// The cache that it came from; nil if it was loaded now.
    public var cacheType: CacheType?

    /// The image.
    public var image: PlatformImage { container.image }
    /// True if it was decoded from a part of the file.
    public var isPreview: Bool { container.isPreview }

    /// A response.
    public init(
        container: ImageContainer,
        request: ImageRequest,
        urlResponse: URLResponse? = nil,
        cacheType: CacheType? = nil
    ) {
        self.container = container
        self.request = request
        self.urlResponse = urlResponse
        self.cacheType = cacheType
    }

    /// A cache.
    public enum CacheType: Sendable {
        /// The image cache.
        case memory
        /// The data cache.
        case disk
    }
}
