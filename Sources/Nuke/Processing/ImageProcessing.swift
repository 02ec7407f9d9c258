/// A change of an image.
///
/// Its methods are called from any thread, from several at once.
public protocol ImageProcessing: Sendable {
    /// The changed image; nil if it cannot be made.
    func process(_ image: PlatformImage) -> PlatformImage?

    /// The changed image, and what is known of it.
    ///
    /// - Throws: why it cannot be made.
    func process(_ container: ImageContainer, context: ImageProcessingContext) throws -> ImageContainer

    /// Tells this processor, with all its parameters, from every other; part of the key in the disk cache.
    var identifier: String { get }

    /// As `identifier`, for keys in memory; the identifier itself, or the processor where it is `Hashable`.
    var hashableIdentifier: AnyHashable { get }
}

extension ImageProcessing {
    /// What `process(_:)` makes of the image; `ImageProcessingError.unknown` where that is nil.
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

/// A processor's failure that has nothing more to say.
public enum ImageProcessingError: Error, CustomStringConvertible, Sendable {
    /// The processor gave no image.
    case unknown

    /// The word.
    public var description: String { "Unknown" }
}

/// What a processor may want to know of the image that it is given.
public struct ImageProcessingContext: Sendable {
    /// The request.
    public var request: ImageRequest
    /// The response with the image.
    public var response: ImageResponse
    /// Whether it is the image, not a preview.
    public var isCompleted: Bool

    /// A context.
    public init(request: ImageRequest, response: ImageResponse, isCompleted: Bool) {
        self.request = request
        self.response = response
        self.isCompleted = isCompleted
    }
}
