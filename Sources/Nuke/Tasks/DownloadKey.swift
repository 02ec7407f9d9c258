import Foundation
import FoundationNetworking

/// The key of a download: requests with equal keys share it.
struct DownloadKey: Hashable, Sendable {
    private let id: String
    private let method: String?
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: URLRequest.CachePolicy
    private let allowsCellularAccess: Bool
    /// The number of the task where coalescing is off; nil otherwise.
    private let unique: Int?

    /// Creates the key of `request`: its URL and everything that may change the answer, such as any header field.
    init(_ request: ImageRequest, unique: Int?) {
        self.unique = unique
        // Most requests are a bare URL, and a URLRequest costs more than all the rest here.
        var urlRequest: URLRequest?
        switch request.resource {
        case .url(let url): id = url?.absoluteString ?? ""
        case .urlRequest(let request):
            urlRequest = request
            id = request.url?.absoluteString ?? ""
        // A control character, so that no URL is equal to it.
        case .data(let name, _): id = "\u{1F}data:" + name
        case .image(let name, _): id = "\u{1F}image:" + name
        }
        method = urlRequest?.httpMethod ?? "GET"
        headers = urlRequest?.allHTTPHeaderFields ?? [:]
        body = urlRequest?.httpBody
        // What must not be loaded joins no download.
        cachePolicy =
            request.options.contains(.returnCacheDataDontLoad)
            ? .returnCacheDataDontLoad : urlRequest?.cachePolicy ?? .useProtocolCachePolicy
        allowsCellularAccess = urlRequest?.allowsCellularAccess ?? true
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
