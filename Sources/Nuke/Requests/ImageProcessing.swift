/// Processes images.
///
/// Methods are called from any thread, also concurrently.
public protocol ImageProcessing: Sendable {
    /// Returns the processed image; nil for a failure.
    func process(_ image: PlatformImage) -> PlatformImage?

    /// Returns the processed container.
    ///
    /// - Throws: The cause of a failure.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer

    /// The unique identifier of the processor with all its parameters; part of the key in the disk cache.
    var identifier: String { get }

    /// The identifier for keys in memory: by default `identifier`, or the processor itself if it is `Hashable`.
    var hashableIdentifier: AnyHashable { get }
}

extension ImageProcessing {
    /// Returns the result of `process(_:)`; throws `ImageProcessingError.unknown` if that is nil.
    public func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer
    {
        try container.map { image in
            guard let processed = process(image) else { throw ImageProcessingError.unknown }
            return processed
        }
    }

    /// The identifier.
    public var hashableIdentifier: AnyHashable { identifier }
}

extension ImageProcessing where Self: Hashable {
    /// The processor itself.
    public var hashableIdentifier: AnyHashable { self }
}

/// A processor's failure without details.
public enum ImageProcessingError: Error, CustomStringConvertible, Sendable {
    /// The processor returned no image.
    case unknown

    /// The name of the case.
    public var description: String { "Unknown" }
}

/// The context of an image that a processor receives.
public struct ImageProcessingContext: Sendable {
    /// The request.
    public var request: ImageRequest
    /// The response with the image.
    public var response: ImageResponse
    /// True if it is the final image, not a preview.
    public var isCompleted: Bool

    /// A context.
    public init(request: ImageRequest, response: ImageResponse, isCompleted: Bool) {
        self.request = request
        self.response = response
        self.isCompleted = isCompleted
    }
}
