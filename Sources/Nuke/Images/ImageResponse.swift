public import FoundationNetworking

/// What a request for an image brings.
public struct ImageResponse: Sendable {
    /// The image, and what is known of it.
    public var container: ImageContainer
    /// The request.
    public var request: ImageRequest
    /// The response that the data came with; nil if it was not loaded now.
    public var urlResponse: URLResponse?
    /// The cache that it came from; nil if it was loaded now.
    public var cacheType: CacheType?

    /// The image.
    public var image: PlatformImage { container.image }
    /// Whether it was decoded from a part of the file.
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
