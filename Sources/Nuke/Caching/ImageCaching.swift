/// Keeps images in memory.
///
/// May be used from any thread.
public protocol ImageCaching: AnyObject, Sendable {
    /// The image of a key; setting nil removes it.
    subscript(key: ImageCacheKey) -> ImageContainer? { get set }

    /// Removes all.
    func removeAll()
}

/// What an image cache knows an image by.
public struct ImageCacheKey: Hashable, Sendable {
    private enum Content: Hashable, Sendable {
        case custom(String)
        case request(MemoryCacheKey)
    }

    private let content: Content

    /// A key of one's own.
    public init(key: String) {
        content = .custom(key)
    }

    /// The key of a request: its image's id, scale, thumbnail and processors.
    public init(request: ImageRequest) {
        content = .request(MemoryCacheKey(request))
    }
}

/// What must be equal of two requests for the same image to answer both.
struct MemoryCacheKey: Hashable, Sendable {
    private let imageID: String?
    private let scale: UInt64
    private let thumbnail: String?
    private let processors: [ProcessorKey]

    init(_ request: ImageRequest) {
        imageID = request.imageID
        // Not the numbers: a NaN is not equal to itself, so that nobody could find the key again.
        scale = Double(request.scale).bitPattern
        thumbnail = request.thumbnail?.identifier
        processors = request.processors.map(ProcessorKey.init)
    }
}

/// A processor as keys compare it, by its `hashableIdentifier`; by its identifier where that is not equal to itself, as one
/// with a NaN in it.
struct ProcessorKey: Hashable, Sendable {
    private let processor: any ImageProcessing

    init(_ processor: any ImageProcessing) {
        self.processor = processor
    }

    static func == (one: ProcessorKey, other: ProcessorKey) -> Bool {
        one.id == other.id
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }

    private var id: AnyHashable {
        let id = processor.hashableIdentifier
        return id == id ? id : AnyHashable(processor.identifier)
    }
}
