import JobManifest
package import Originals

/// The classes of errors of the stage "load" (`docs/errors.md` lists what leads to which).
extension ItemError {
    /// The same error without the secrets that `redaction` hides.
    package func hidden(by redaction: NetworkLog.Redaction) -> ItemError {
        ItemError(code, redaction.hidden(message), handling: handling, status: status)
    }

    /// The item's error for an original that could not be fetched; `statuses` are tried again.
    package init(loading error: any Error, retrying statuses: Set<Int>) {
        switch error {
        case FetchError.notCached:
            self.init(.offline, "it is not in the cache and nothing may be loaded (--offline)")
        case FetchError.empty:
            self.init(.empty, "the server answered without a byte")
        case FetchError.tooLarge:
            self.init(.tooLarge, "it has more bytes than loading.maxBytes allows")
        case FetchError.cancelled:
            self = .interrupted
        case let error as DataLoadingError:
            self.init(error, retrying: statuses)
        default:
            self.init(error)
        }
    }

    private init(_ error: DataLoadingError, retrying statuses: Set<Int>) {
        let message = error.description
        switch error.reason {
        case .status:
            self.init(status: error.statusCode ?? 0, error, retrying: statuses)
        case .local:
            self.init(.local, message)
        case .dns where error.isOfNameServers:
            // The rate limiter probes until names can be looked up.
            self.init(.dns, message, handling: .hostHeld(milliseconds: 1000))
        case .hostDown:
            self.init(.hostDown, message)
        case .address:
            // The loader's own remedy names its configuration, which people who run a manifest do not see.
            let manifestMessage = error.refusedAddress.map { error.located($0.manifestMessage) }
            self.init(.address, manifestMessage ?? message, handling: error.handling)
        case .integrity:
            // Tried once more: damage in transit may not happen again, a wrong file at the origin stays wrong.
            self.init(.integrity, message)
        case .empty, .protocol:
            // The connection closed before an answer, as a reset does; an answer without a body is another thing. What speaks no
            // HTTP may be a proxy that is starting.
            self.init(.reset, message)
        default:
            self.init(error.code, message, handling: error.handling)
        }
    }

    /// The most pauses of its host that an item waits for: a few more than it takes from the default rate to the slowest.
    ///
    /// A host that refuses an item more often does not do so for the rate.
    static let mostPauses = 20

    private init(status: Int, _ error: DataLoadingError, retrying statuses: Set<Int>) {
        let code = ErrorCode.http(status)
        if error.isHostHeld || error.isSlowDown {
            let (seconds, attoseconds) = (error.retryAfter ?? .seconds(1)).components
            let milliseconds = Int64(seconds) * 1000 + attoseconds / 1_000_000_000_000_000
            self.init(
                code,
                error.description,
                handling: .hostHeld(
                    milliseconds: milliseconds,
                    atMost: error.isSlowDown ? nil : Self.mostPauses
                ),
                status: status
            )
        } else {
            let handling: Handling = statuses.contains(status) ? .retry(atMost: nil) : .permanent
            self.init(code, error.description, handling: handling, status: status)
        }
    }
}

extension DataLoadingError {
    /// The handling of items where the reason alone does not decide about it.
    fileprivate var handling: ItemError.Handling { isTransient ? .retry(atMost: nil) : .permanent }

    /// The code that items have for it.
    fileprivate var code: ErrorCode {
        switch reason {
        case .status: .http(statusCode ?? 0)
        case .dns: .dns
        case .refused: .refused
        case .timeout: .timeout
        case .reset, .protocol, .empty: .reset
        case .tls: .tls
        case .truncated: .truncated
        case .integrity: .integrity
        case .tooLarge: .tooLarge
        case .redirects: .redirects
        case .badURL: .badURL
        case .scheme: .scheme
        case .address: .address
        case .notFound: .notFound
        case .hostDown: .hostDown
        case .local: .local
        }
    }
}
