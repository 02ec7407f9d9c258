import Foundation
import FoundationNetworking

/// What is known of a load that failed: its error, and the answer's head if there was one.
struct LoadFailure {
    let error: any Error
    let response: HTTPURLResponse?

    /// Errors of URLSession after which the same request may succeed: of names, connections, the network's absence,
    /// time limits and answers that broke off.
    private static let transientCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost, .dnsLookupFailed,
        .notConnectedToInternet, .cannotLoadFromNetwork, .internationalRoamingOff, .callIsActive,
        .dataNotAllowed, .secureConnectionFailed, .badServerResponse, .downloadDecodingFailedMidStream,
        .downloadDecodingFailedToComplete,
    ]

    /// The status, if the failure is one.
    var status: Int? {
        switch error {
        case let error as DataLoadingError: error.statusCode
        case DataLoader.Error.statusCodeUnacceptable(let status): status
        default: response.flatMap { (200..<300).contains($0.statusCode) ? nil : $0.statusCode }
        }
    }

    /// How long the server wants to be left alone.
    var retryAfter: Duration? {
        (error as? DataLoadingError)?.retryAfter
            ?? response?.field("Retry-After").flatMap { RetryAfter.duration($0) }
    }

    /// Whether the host is held back already by who loads.
    var isHostHeld: Bool {
        (error as? DataLoadingError)?.isHostHeld ?? false
    }

    /// Whether somebody has cancelled it.
    var isCancellation: Bool {
        error is CancellationError || (error as? URLError)?.code == .cancelled
    }

    /// Whether the network or the server's side broke, of a failure without a status.
    var isTransient: Bool {
        switch error {
        case let error as DataLoadingError: error.isTransient
        case let error as URLError: Self.transientCodes.contains(error.code)
        default: false
        }
    }

    /// Whether a stored response may stand in for it: what a gateway would answer with 500, 502, 503 or 504
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
        default:
            return !isCancellation
        }
    }
}
