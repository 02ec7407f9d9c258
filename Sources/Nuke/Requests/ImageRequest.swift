public import Foundation
public import FoundationNetworking

/// What to load, how urgently, and what the caches may do for it.
public struct ImageRequest: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// Where the data comes from.
    enum Resource: Sendable {
        case url(URL?)
        case urlRequest(URLRequest)
        case data(id: String, @Sendable () async throws -> Data)
        case image(id: String, @Sendable () async throws -> ImageContainer)
    }

    let resource: Resource

    /// The place among the requests that wait; normal unless set.
    public var priority: Priority
    /// What is done to the image, in order.
    public var processors: [any ImageProcessing]
    /// What the caches and queues do for the request.
    public var options: Options
    /// What the caller wants to find again, in a delegate for example.
    public var userInfo: [UserInfoKey: any Sendable] {
        didSet { takeSettings(of: userInfo) }
    }
    /// Pixels a point, for whoever shows the image; 1 unless set.
    public var scale: CGFloat = 1
    /// A small image that the decoder makes in place of the whole one; none unless set.
    public var thumbnail: ThumbnailOptions?
    private var customID: String?

    /// A request for `url`; nil fails when it is loaded, with `URLError.badURL`.
    public init(
        url: URL?,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.url(url), processors, priority, options, userInfo)
    }

    /// A request with header fields, method or body of its own.
    public init(
        urlRequest: URLRequest,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.urlRequest(urlRequest), processors, priority, options, userInfo)
    }

    /// A request whose data `data` brings, known to the caches as `id`.
    public init(
        id: String,
        data: @Sendable @escaping () async throws -> Data,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.data(id: id, data), processors, priority, options, userInfo)
    }

    /// A request whose image `image` brings, known to the memory cache as `id`.
    public init(
        id: String,
        image: @Sendable @escaping () async throws -> ImageContainer,
        processors: [any ImageProcessing] = [],
        priority: Priority = .normal,
        options: Options = [],
        userInfo: [UserInfoKey: any Sendable]? = nil
    ) {
        self.init(.image(id: id, image), processors, priority, options, userInfo)
    }

    /// A request for the URL that `value` is; one that is none fails when it is loaded.
    public init(stringLiteral value: String) {
        self.init(url: URL(string: value))
    }

    private init(
        _ resource: Resource,
        _ processors: [any ImageProcessing],
        _ priority: Priority,
        _ options: Options,
        _ userInfo: [UserInfoKey: any Sendable]?
    ) {
        self.resource = resource
        self.processors = processors
        self.priority = priority
        self.options = options
        self.userInfo = userInfo ?? [:]
        takeSettings(of: self.userInfo)
    }

    /// The request that is sent; nil for one whose data does not come from a URL.
    public var urlRequest: URLRequest? {
        switch resource {
        case .url(let url): url.map { URLRequest(url: $0) }
        case .urlRequest(let request): request
        case .data, .image: nil
        }
    }

    /// The URL; nil for a request whose data does not come from one.
    public var url: URL? {
        switch resource {
        case .url(let url): url
        case .urlRequest(let request): request.url
        case .data, .image: nil
        }
    }

    /// What the caches know the image by: the URL, or the id that the data was given with, unless set.
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

    /// The key of the data with all processors applied; the image's id where there are none.
    ///
    /// Each part goes with its length, so that no two different requests have one key.
    var dataCacheKey: String {
        let id = imageID ?? ""
        guard !processors.isEmpty || thumbnail != nil else { return id }
        let parts = [id] + (thumbnail.map { [$0.identifier] } ?? []) + processors.map(\.identifier)
        return parts.map { "\u{1F}\($0.utf8.count):\($0)" }.joined()
    }

    /// The resource and the settings, for people.
    public var description: String {
        let processors = processors.map(\.identifier)
        return """
            ImageRequest(imageID: \(imageID ?? "none"), priority: \(priority), processors: \(processors), \
            options: \(options.rawValue))
            """
    }
}
