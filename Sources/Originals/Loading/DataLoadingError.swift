public import Foundation
public import FoundationNetworking
import ObjectStorage
package import Transport

/// An error of ``CurlDataLoader``.
public struct DataLoadingError: Error, Sendable, CustomStringConvertible {
    /// The classes of failures.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The server answered with a status that is not 200 to 299.
        case status
        /// The host has no address, or no name server answered.
        case dns
        /// Connection refused, or the host is unreachable.
        case refused
        /// A time limit passed.
        case timeout
        /// The connection broke.
        case reset
        /// TLS failed.
        case tls
        /// The body ended before its declared end.
        case truncated
        /// The response contradicts its own headers: another digest, or two lengths.
        case integrity
        /// The connection closed without a byte.
        case empty
        /// The body has more bytes than allowed.
        case tooLarge = "too_large"
        /// Too many redirects, or redirects in a circle.
        case redirects
        /// The URL is invalid.
        case badURL = "bad_url"
        /// The URL's scheme is not allowed.
        case scheme
        /// The address is not public and not allowed.
        case address
        /// The peer violates the protocol, or the request cannot be expressed in it.
        case `protocol`
        /// The file is missing or not readable, on the FTP server or on this machine.
        case notFound = "not_found"
        /// The host did not answer for so long that the rate limiter stopped all requests to it.
        case hostDown = "host_down"
        /// A local problem: out of descriptors, memory or ports.
        case local
    }

    /// The class of the failure.
    public let reason: Reason
    /// The URL that failed; after redirects the last one.
    public let url: URL?
    /// The cause, and the remedy if known; without queries and control characters.
    public let message: String
    /// The status code; nil without a response.
    public package(set) var statusCode: Int?
    /// The head of the response; nil without one.
    public package(set) var response: HTTPURLResponse?
    /// The pause that the server asks for (`Retry-After`), from 0 to an hour; nil if it asks for none.
    public package(set) var retryAfter: Duration?
    /// True if the whole host is held back because of this answer, so that it must not count as an attempt.
    public package(set) var isHostHeld = false
    /// True if an object store asked for a lower rate, which must not count as an attempt.
    package var isSlowDown = false
    /// True if the same request may succeed later; for statuses: 408, 425, 429, 500, 502, 503 and 504.
    public let isTransient: Bool
    /// The system's error number, if the reason is ``Reason/local``.
    public let systemError: Int32?
    /// True if the name servers answer for no host, so that it is neither the request's nor the host's trouble.
    package private(set) var isOfNameServers = false
    /// The address that was refused, if the reason is ``Reason/address``.
    package private(set) var refusedAddress: RefusedAddress?

    package init(
        _ reason: Reason,
        url: URL?,
        _ message: String,
        isTransient: Bool = false,
        systemError: Int32? = nil
    ) {
        self.reason = reason
        self.url = url
        self.message = message
        self.isTransient = isTransient
        self.systemError = systemError
    }

    /// Creates the error of a status that is not accepted.
    package init(status: Int, response: HTTPURLResponse?, url: URL, _ message: String? = nil) {
        self.init(
            .status,
            url: url,
            message ?? "the server answered with status \(status)",
            isTransient: [408, 425, 429, 500, 502, 503, 504].contains(status)
        )
        statusCode = status
        self.response = response
    }

    package init(_ error: TransportError, url: URL) {
        let (reason, systemError): (Reason, Int32?) =
            switch error.reason {
            case .dns: (.dns, nil)
            case .refused: (.refused, nil)
            case .timeout: (.timeout, nil)
            case .reset, .cancelled: (.reset, nil)
            case .tls: (.tls, nil)
            case .truncated: (.truncated, nil)
            case .integrity: (.integrity, nil)
            case .empty: (.empty, nil)
            case .tooLarge: (.tooLarge, nil)
            case .badURL: (.badURL, nil)
            case .scheme: (.scheme, nil)
            case .address: (.address, nil)
            case .protocol: (.protocol, nil)
            case .notFound: (.notFound, nil)
            case .local(let errno): (.local, errno)
            }
        self.init(reason, url: url, error.message, isTransient: error.isTransient, systemError: systemError)
        isOfNameServers = error.isOfNameServers
        refusedAddress = error.refusedAddress
    }

    /// The URL without user, query and fragment, and the message.
    public var description: String { located(message) }

    /// Returns `message` after the URL without user, query and fragment.
    package func located(_ message: String) -> String {
        guard let url else { return message }
        return "\(Self.printable(url)): \(message)"
    }

    /// Returns the URL without the parts that may hold secrets; the key of an object as it is, not percent-encoded.
    package static func printable(_ url: URL) -> String {
        let text = ObjectLocation(url: url)?.description ?? webText(url)
        return String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
        )
    }

    private static func webText(_ url: URL) -> String {
        var text = url.scheme.map { $0 + "://" } ?? ""
        let host = url.host ?? ""
        text += host.contains(":") ? "[\(host)]" : host
        if let port = url.port { text += ":\(port)" }
        return text + url.path(percentEncoded: true)
    }
}
