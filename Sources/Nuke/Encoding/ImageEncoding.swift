public import Foundation
public import FoundationNetworking

/// Encodes images for the data cache.
public protocol ImageEncoding: Sendable {
    /// Returns the encoded image; nil for a failure.
    func encode(_ image: PlatformImage) -> Data?

    /// Returns the encoded image of a container; nil for a failure.
    func encode(_ container: ImageContainer, context: ImageEncodingContext) -> Data?
}

extension ImageEncoding {
    /// Returns the original file of a GIF that the request does not change, or else the encoded image.
    public func encode(_ container: ImageContainer, context: ImageEncodingContext) -> Data? {
        container.type == .gif && !context.request.isChanged ? container.data : encode(container.image)
    }
}

/// The facts by which an encoder is chosen.
public struct ImageEncodingContext: Sendable {
    /// The request.
    public let request: ImageRequest
    /// The image to encode.
    public let image: PlatformImage
    /// The response that its data came with; nil if it was not loaded now.
    public let urlResponse: URLResponse?

    /// A context.
    public init(request: ImageRequest, image: PlatformImage, urlResponse: URLResponse?) {
        self.request = request
        self.image = image
        self.urlResponse = urlResponse
    }
}
