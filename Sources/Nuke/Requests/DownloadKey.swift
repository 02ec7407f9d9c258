import Foundation
import FoundationNetworking

/// The key of a download: requests with equal keys share it.
struct DownloadKey: Hashable, Sendable {
    private enum Source: Hashable {
        case url(FlightKey)
        /// A closure that loads data, or an image.
        case closure(kind: String, id: String)
    }

    private let source: Source
    /// True for what must not be loaded, which joins no download.
    private let isCacheOnly: Bool
    /// The number of the task where coalescing is off; nil otherwise.
    private let unique: Int?

    /// Creates the key of `request`: its URL and everything that may change the answer, such as any header field.
    init(_ request: ImageRequest, unique: Int?) {
        self.unique = unique
        isCacheOnly = request.options.contains(.returnCacheDataDontLoad)
        source =
            switch request.resource {
            // Most requests are a bare URL, and a URLRequest costs more than all the rest here.
            case .url(let url): .url(FlightKey(url))
            case .urlRequest(let request): .url(FlightKey(request))
            case .data(let id, _): .closure(kind: "data", id: id)
            case .image(let id, _): .closure(kind: "image", id: id)
            }
    }
}

/// The key of a decode: requests with equal keys share it.
struct OriginalImageKey: Hashable, Sendable {
    private let data: DownloadKey
    private let scale: UInt64
    private let thumbnail: String?

    init(_ request: ImageRequest, unique: Int?) {
        data = DownloadKey(request, unique: unique)
        // Bits instead of the number: a NaN is not equal to itself, so that the key could never be found again.
        scale = Double(request.scale).bitPattern
        thumbnail = request.thumbnail?.identifier
    }
}

/// The key of an image: requests with equal keys share all of their work.
struct ImageKey: Hashable, Sendable {
    private let original: OriginalImageKey
    private let imageID: String?
    private let options: ImageRequest.Options
    private let processors: [ProcessorKey]

    init(_ request: ImageRequest, unique: Int?) {
        original = OriginalImageKey(request, unique: unique)
        imageID = request.imageID
        options = request.options
        processors = request.processors.map(ProcessorKey.init)
    }
}
