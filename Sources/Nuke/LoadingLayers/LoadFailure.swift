import Foundation
import FoundationNetworking

/// A failed load: its error, and the answer's head if there was one.
struct LoadFailure {
    let error: any Error
    let response: HTTPURLResponse?

    /// Errors of URLSession after which the same request may succeed: names, connections, a missing network,
    /// time limits and truncated answers.
    private static let transientCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
        .notConnectedToInternet, .cannotLoadFromNetwork, .internationalRoamingOff, .callIsActive,
        .dataNotAllowed, .secureConnectionFailed, .badServerResponse, .downloadDecodingFailedMidStream,
        .downloadDecodingFailedToComplete,
    ]

    /// The status, if the failure is one.
    var status: Int? {
        switch error {
        case let error as any StatusError: error.statusCode
        default: response.flatMap { $0.isSuccess ? nil : $0.statusCode }
        }
    }

    /// The pause that the server asks for.
    var retryAfter: Duration? {
        (error as? DataLoadingError)?.retryAfter
            ?? response?.field("Retry-After").flatMap { RetryAfter.duration($0) }
    }

    /// True if the loader already holds the host back.
    var isHostHeld: Bool { (error as? DataLoadingError)?.isHostHeld ?? false }

    var isCancellation: Bool { error is CancellationError || (error as? URLError)?.code == .cancelled }

    /// True if a failure without a status may pass: the network or the server broke.
    var isTransient: Bool {
        switch error {
        case let error as DataLoadingError: error.isTransient
        case let error as URLError: Self.transientCodes.contains(error.code)
        default: false
        }
    }

    /// True if a stored response may replace it: a failure that a gateway would answer with 500, 502, 503 or 504
    /// (RFC 5861, section 4).
    var isServerError: Bool {
        if let status { return [500, 502, 503, 504].contains(status) }
        switch error {
        case let error as DataLoadingError:
            return ![.badURL, .scheme, .address, .tooLarge, .redirects].contains(error.reason)
        case let error as URLError:
            return ![.badURL, .unsupportedURL, .dataLengthExceedsMaximum, .httpTooManyRedirects].contains(
                error.code
            ) && !isCancellation
        default: return !isCancellation
        }
    }
}
