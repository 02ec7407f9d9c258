import Foundation
import FoundationNetworking

/// What must be equal for two requests to share a download.
struct DownloadKey: Hashable, Sendable {
    private let id: String
    private let method: String?
    private let headers: [String: String]
    private let body: Data?
    private let cachePolicy: URLRequest.CachePolicy
    private let allowsCellularAccess: Bool
    /// The number of the task, where downloads are not shared.
    private let unique: Int?

    /// The key of `request`: its URL and all that may change the answer, any header field among it.
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
        cachePolicy = urlRequest?.cachePolicy ?? .useProtocolCachePolicy
        allowsCellularAccess = urlRequest?.allowsCellularAccess ?? true
    }
}
