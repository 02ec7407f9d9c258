public import Foundation

/// A cache of images in memory.
///
/// Safe to use from any thread.
public protocol ImageCaching: AnyObject, Sendable {
    /// The image of a key; setting nil removes it.
    subscript(key: ImageCacheKey) -> ImageContainer? { get set }

    /// Removes all.
    func removeAll()
}

extension ImageCaching {
    /// The image for `request`, by the key that a pipeline without a delegate gives it; setting nil removes it.
    ///
    /// The request's options are not honoured: that is what ``ImagePipeline/Cache`` is for.
    public subscript(request: ImageRequest) -> ImageContainer? {
        get { self[ImageCacheKey(request: request)] }
        set { self[ImageCacheKey(request: request)] = newValue }
    }

    /// The image for `url`; setting nil removes it.
    public subscript(url: URL) -> ImageContainer? {
        get { self[ImageRequest(url: url)] }
        set { self[ImageRequest(url: url)] = newValue }
    }
}

/// The key of an image in an image cache.
public struct ImageCacheKey: Hashable, Sendable {
    private enum Content: Hashable, Sendable {
        case custom(String)
        case request(MemoryCacheKey)
    }

    private let content: Content

    /// Creates a custom key.
    public init(key: String) {
        content = .custom(key)
    }

    /// Creates the key of a request: its image's id, scale, thumbnail and processors.
    public init(request: ImageRequest) {
        content = .request(MemoryCacheKey(request))
    }
}

/// The key of a request in the memory cache: equal keys mean that one image answers both requests.
struct MemoryCacheKey: Hashable, Sendable {
    private let imageID: String?
    private let scale: UInt64
    private let thumbnail: String?
    private let processors: [ProcessorKey]

    init(_ request: ImageRequest) {
        imageID = request.imageID
        // Bits instead of the number: a NaN is not equal to itself, so that the key could never be found again.
        scale = Double(request.scale).bitPattern
        thumbnail = request.thumbnail?.identifier
        processors = request.processors.map(ProcessorKey.init)
    }
}
