/// The class of an item's error, as the state, the command line and the reports name it.
public enum ErrorCode: Hashable, Sendable {
    /// The server answered with a status that is not 200 to 299.
    case http(Int)
    case dns, refused, timeout, reset, tls
    case truncated, integrity, empty
    case tooLarge, redirects
    case badURL, scheme, address, notFound, archived
    case wrongType, plugIn, corrupt, limits, processing, collision
    case hostDown, offline, crashed
    case local, interrupted

    /// Every code, with the HTTP statuses that have entries of their own.
    public static let listed: [ErrorCode] =
        ErrorCode.statuses.map(ErrorCode.http) + [
            .dns, .refused, .timeout, .reset, .tls, .truncated, .integrity, .empty, .tooLarge, .redirects,
            .badURL,
            .scheme, .address, .notFound, .archived, .wrongType, .plugIn, .corrupt, .limits, .processing,
            .collision,
            .hostDown,
            .offline,
            .crashed, .local, .interrupted,
        ]

    private static let statuses = [401, 403, 404, 408, 410, 425, 429, 451, 500, 502, 503, 504]

    /// True if the host could not be reached or did not answer: if no host can, the network is the cause.
    public var isUnreachable: Bool {
        switch self {
        case .dns, .refused, .timeout, .reset: true
        default: false
        }
    }

    /// The HTTP status, if a server refused the request with one.
    public var status: Int? { if case .http(let status) = self { status } else { nil } }
}

/// The text of a code, such as `http_404`: stored in the state and printed.
extension ErrorCode: RawRepresentable, Codable, CustomStringConvertible {
    private static let named = Dictionary(
        uniqueKeysWithValues: listed.filter { $0.status == nil }.map { ($0.rawValue, $0) }
    )

    /// Reads the text of a code; nil for any other text.
    public init?(rawValue: String) {
        if let code = Self.named[rawValue] {
            self = code
        } else if rawValue.hasPrefix("http_"), let status = Int(rawValue.dropFirst(5)),
            rawValue == "http_\(status)"
        {
            self = .http(status)
        } else {
            return nil
        }
    }

    /// The text of the code.
    public var rawValue: String { entry.name }

    /// The text of the code.
    public var description: String { rawValue }
}
