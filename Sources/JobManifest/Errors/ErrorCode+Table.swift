extension ErrorCode {
    /// The consequence of an error for its item.
    public enum Recovery: Hashable, Sendable {
        /// Retried with backoff, with at most this many attempts (nil: `retry.attempts`), and again by the next run.
        case retried(atMost: Int?)
        /// Retried like that if the status is one of `retry.statuses`; otherwise permanent.
        case byStatus
        /// The item fails in this run; the next run tries again.
        case nextRun
        /// The item stays failed until `retry`, `retry.recheck` or a change of the manifest.
        case permanent
        /// The item is quarantined until `retry`.
        case quarantined
        /// The item becomes pending again, and the run stops with exit code 4.
        case stopsRun
        /// The item becomes pending again, and the attempt does not count.
        case putBack

        /// A few words for tables.
        public var summary: String {
            switch self {
            case .retried(nil): "retried"
            case .retried(let attempts?): "retried, at most \(attempts) attempts"
            case .byStatus: "retried if in `retry.statuses`, else permanent"
            case .nextRun: "retried by the next run"
            case .permanent: "permanent"
            case .quarantined: "quarantined"
            case .stopsRun: "stops the run (exit code 4)"
            case .putBack: "put back"
            }
        }
    }

    /// A row of the table of errors.
    public struct Entry: Sendable {
        /// The text of the code.
        public let name: String
        /// The consequence for the item.
        public let recovery: Recovery
        /// One sentence: what went wrong.
        public let meaning: String
        /// One sentence: what to do about it.
        public let remedy: String
        /// The HTTP status, the libcurl result or the part of nuke-batch that it comes from.
        public let origin: String
    }

    /// The row of the table for this code; the one source of `docs/errors.md`, the manual and the advice of `explain`.
    public var entry: Entry {
        switch self {
        case .http(let status): Self.entry(status: status)
        case .dns, .refused, .timeout, .reset, .tls, .truncated, .integrity, .empty, .redirects, .hostDown:
            transferEntry
        case .tooLarge, .badURL, .scheme, .address, .notFound, .archived, .offline, .local, .interrupted:
            requestEntry
        case .wrongType, .plugIn, .corrupt, .limits, .processing, .collision, .crashed: imageEntry
        }
    }

    private static func entry(status: Int) -> Entry {
        let (meaning, remedy) =
            switch status {
            case 401:
                ("The server requires a login.", "Set loading.auth or loading.headers for the host.")
            case 403:
                ("The server denies access.", "Check loading.headers and loading.auth for the host.")
            case 404:
                ("The server has no such file.", "Correct the URL, or put the file back on the server.")
            case 408:
                ("The server timed out waiting for the request.", "Run the job again.")
            case 410:
                ("The file was removed from the server.", "Remove the URL from the list, or correct it.")
            case 425:
                ("The server is not willing to process the request yet.", "Run the job again.")
            case 429:
                ("The server asks for fewer requests.", "Lower loading.rate or loading.perHost.")
            case 451:
                ("The server withholds the file for legal reasons.", "Remove the URL from the list.")
            case 400..<500:
                ("The server rejects the request.", "Correct the URL, or see loading.headers.")
            case 500..<600:
                ("The server reports an internal error.", "Run the job again when the server has recovered.")
            default:
                ("The server answered with an unexpected status.", "Correct the URL.")
            }
        return Entry(
            name: "http_\(status)",
            recovery: .byStatus,
            meaning: meaning,
            remedy: remedy,
            origin: "HTTP \(status)"
        )
    }

    private var transferEntry: Entry {
        switch self {
        case .dns:
            Entry(
                name: "dns",
                recovery: .retried(atMost: nil),
                meaning: "The host name does not resolve.",
                remedy: "Correct the host name, or check this machine's name servers.",
                origin: "libcurl 5, 6"
            )
        case .refused:
            Entry(
                name: "refused",
                recovery: .retried(atMost: nil),
                meaning: "The connection was refused, or there is no route to the host.",
                remedy: "Check the host and port, and that the server is running.",
                origin: "libcurl 7, 45; a proxy that answers CONNECT with 403"
            )
        case .timeout:
            Entry(
                name: "timeout",
                recovery: .retried(atMost: nil),
                meaning: "A time limit passed before the transfer ended.",
                remedy: "Run the job again, or raise loading.timeout.",
                origin: "libcurl 28"
            )
        case .reset:
            Entry(
                name: "reset",
                recovery: .retried(atMost: nil),
                meaning: "The connection broke, or the server violated the protocol.",
                remedy: "Run the job again; if it fails again, check the server and the proxies before it.",
                origin: "libcurl 16, 52, 55, 56, 92 and protocol errors"
            )
        case .tls:
            Entry(
                name: "tls",
                recovery: .permanent,
                meaning: "The TLS handshake failed, or the certificate is not accepted.",
                remedy: "Correct the server's certificate, or this machine's certificate store and clock.",
                origin: "libcurl 35 (retried), 51, 58, 59, 60, 77 and others"
            )
        case .truncated:
            Entry(
                name: "truncated",
                recovery: .retried(atMost: nil),
                meaning: "The body or the image ended early.",
                remedy: "Run the job again; if it fails again, replace the file on the server.",
                origin: "libcurl 18; decoders, at most 2 attempts, if the length is unknown"
            )
        case .integrity:
            Entry(
                name: "integrity",
                recovery: .retried(atMost: 2),
                meaning: "The body does not match the digest or length that the server declares.",
                remedy: "Replace the file on the server, or correct the response headers.",
                origin: "response headers"
            )
        case .empty:
            Entry(
                name: "empty",
                recovery: .permanent,
                meaning: "The response or the file has no bytes.",
                remedy: "Correct the URL, or replace the file on the server.",
                origin: "responses and files of 0 bytes"
            )
        case .redirects:
            Entry(
                name: "redirects",
                recovery: .permanent,
                meaning: "There are too many redirects, or they form a loop.",
                remedy: "Correct the URL, or raise loading.maxRedirects.",
                origin: "HTTP 301, 302, 303, 307, 308"
            )
        default:
            Entry(
                name: "host_down",
                recovery: .nextRun,
                meaning:
                    "The host failed too many times in a row, so nuke-batch stopped sending requests to it.",
                remedy: "Run the job again when the host has recovered.",
                origin: "rate limiter"
            )
        }
    }
}
