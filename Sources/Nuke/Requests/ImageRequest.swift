public import Foundation
public import FoundationNetworking
import Transport

/// A request for an image or its data: the source, the priority and the use of caches.
public struct ImageRequest: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The source of the data.
    enum Resource: Sendable, CustomStringConvertible {
        case url(URL?)
        case urlRequest(URLRequest)
        case data(id: String, @Sendable () async throws -> Data)
        case image(id: String, @Sendable () async throws -> ImageContainer)

        /// The URL, or that it is a closure, whose id is the request's ``ImageRequest/imageID``.
        var description: String {
            switch self {
            case .url(let url): url?.absoluteString ?? "nil"
            case .urlRequest(let request): request.url?.absoluteString ?? "nil"
            case .data, .image: "<closure>"
            }
        }
    }

    let resource: Resource

    /// The priority among waiting requests; normal by default.
    public var priority: Priority
    /// The processors applied to the image, in order.
    public var processors: [any ImageProcessing]
    /// The use of caches and queues for the request.
    public var options: Options
    /// Values for the caller's own use, in a delegate for example.
    public var userInfo: [UserInfoKey: any Sendable] { didSet { takeSettings(of: userInfo) } }
    /// The pixels a point, for displaying the image; 1 by default.
    public var scale: CGFloat = 1
    /// The options of a thumbnail that the decoder makes instead of the whole image; nil by default.
    public var thumbnail: ThumbnailOptions?
    private var customID: String?

    /// Creates a request for `url`; nil fails on loading with `URLError.badURL`.
    public init(
        url: URL?,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.url(url), processors, priority: priority, options: options, userInfo: userInfo)
    }

    /// Creates a request with its own header fields, method or body.
    public init(
        urlRequest: URLRequest,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(
            .urlRequest(urlRequest),
            processors,
            priority: priority,
            options: options,
            userInfo: userInfo
        )
    }

    /// Creates a request for the data that `data` returns, with the cache key `id`.
    public init(
        id: String,
        data: @Sendable @escaping () async throws -> Data,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.data(id: id, data), processors, priority: priority, options: options, userInfo: userInfo)
    }

    /// Creates a request for the image that `image` returns, with the memory cache key `id`.
    public init(
        id: String,
        image: @Sendable @escaping () async throws -> ImageContainer,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.image(id: id, image), processors, priority: priority, options: options, userInfo: userInfo)
    }

    /// Creates a request for the URL `value`; an invalid one fails on loading.
    public init(stringLiteral value: String) {
        self.init(url: URL(encoded: value))
    }

    private init(
        _ resource: Resource,
        _ processors: [any ImageProcessing],
        priority: Priority,
        options: Options,
        userInfo: [UserInfoKey: any Sendable]?
    ) {
        self.resource = resource
        self.processors = processors
        self.priority = priority
        self.options = options
        self.userInfo = userInfo ?? [:]
        takeSettings(of: self.userInfo)
    }

    /// The URL request; nil if the data does not come from a URL.
    public var urlRequest: URLRequest? {
        switch resource {
        case .url(let url): url.map { URLRequest(url: $0) }
        case .urlRequest(let request): request
        case .data, .image: nil
        }
    }

    /// The URL; nil if the data does not come from one.
    public var url: URL? {
        switch resource {
        case .url(let url): url
        case .urlRequest(let request): request.url
        case .data, .image: nil
        }
    }

    /// The identifier of the image in caches; by default the URL, or the id that the data was given with.
    public var imageID: String? {
        get {
            if let customID { return customID }
            switch resource {
            case .data(let id, _), .image(let id, _): return id
            case .url, .urlRequest: return url?.absoluteString
            }
        }
        set { customID = newValue }
    }

    /// The key of the data with all processors applied; the image's id without any.
    ///
    /// Each part is prefixed with its length, so that no two different requests share a key.
    var dataCacheKey: String {
        let id = imageID ?? ""
        guard !processors.isEmpty || thumbnail != nil else { return id }
        let parts = [id] + (thumbnail.map { [$0.identifier] } ?? []) + processors.flatMap(\.identifiers)
        return parts.map { "\u{1F}\($0.utf8.count):\($0)" }.joined()
    }

    /// A readable form of the request, without its header fields.
    public var description: String {
        """
        ImageRequest(resource: \(resource), priority: \(priority), processors: \(processors), \
        options: \(options), userInfo: \(userInfo))
        """
    }
}
