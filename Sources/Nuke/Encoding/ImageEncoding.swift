public import Foundation
public import FoundationNetworking

/// Makes data of images, for the data cache.
public protocol ImageEncoding: Sendable {
    /// The file of an image; nil if it cannot be made.
    func encode(_ image: PlatformImage) -> Data?

    /// The file of an image and what is known of it; nil if it cannot be made.
    func encode(_ container: ImageContainer, context: ImageEncodingContext) -> Data?
}

extension ImageEncoding {
    /// The file that a GIF came as, of all others the image's.
    public func encode(_ container: ImageContainer, context: ImageEncodingContext) -> Data? {
        container.type == .gif ? container.data : encode(container.image)
    }
}

/// What an encoder is chosen by.
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
