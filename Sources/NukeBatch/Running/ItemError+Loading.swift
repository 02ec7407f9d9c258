import Foundation
import Nuke

/// The classes of errors of the stage "load" (promises.md lists what leads to which).
extension ItemError {
    /// As it is, with the names of variables in the place of their `values`.
    func hiding(_ values: [String: String]) -> ItemError {
        guard !values.isEmpty else { return self }
        var redaction = NetworkLog.Redaction()
        redaction.hide(values)
        return ItemError(code, redaction.hidden(message), handling, status: status)
    }

    /// The item's error for a request that Nuke's pipeline could not fulfil; `statuses` are tried again.
    init(_ error: ImagePipeline.Error, retrying statuses: Set<Int>) {
        switch error {
        case .dataMissingInCache:
            self.init("offline", "it is not in the cache and nothing may be loaded (--offline)", .nextRun)
        case .dataIsEmpty:
            self.init("empty", "the server answered without a byte")
        case .dataDownloadExceededMaximumSize:
            self.init("too_large", "it has more bytes than loading.maxBytes allows")
        case .pipelineInvalidated, .cancelled:
            self = .interrupted
        case .dataLoadingFailed(let cause as DataLoadingError):
            self.init(cause, retrying: statuses)
        case .dataLoadingFailed(let cause):
            self.init(cause)
        case .decoderNotRegistered, .decodingFailed, .processingFailed, .imageRequestMissing:
            // Of requests for images, which the runner does not make.
            self.init("processing", "\(error)")
        }
    }

    /// The item's error for a request that could not be fulfilled; `statuses` are tried again.
    init(_ error: DataLoadingError, retrying statuses: Set<Int>) {
        let message = error.description
        switch error.reason {
        case .status:
            self.init(status: error.statusCode ?? 0, error, retrying: statuses)
        case .empty:
            // The connection closed before an answer, as a reset does; an answer without a body is another thing.
            self.init("reset", message, .retry(atMost: nil))
        case .local:
            self.init("local", message, .local)
        case .hostDown:
            self.init(error.reason.rawValue, message, .nextRun)
        case .integrity:
            // Once more: what was changed on the way may come whole, what is wrong at the origin will not.
            self.init(error.reason.rawValue, message, .retry(atMost: 2))
        case .protocol:
            self.init("reset", message, error.isTransient ? .retry(atMost: nil) : .permanent)
        default:
            self.init(error.reason.rawValue, message, error.isTransient ? .retry(atMost: nil) : .permanent)
        }
    }

    private init(status: Int, _ error: DataLoadingError, retrying statuses: Set<Int>) {
        let code = "http_\(status)"
        if error.isHostHeld {
            let (seconds, attoseconds) = (error.retryAfter ?? .seconds(1)).components
            let milliseconds = Int64(seconds) * 1000 + attoseconds / 1_000_000_000_000_000
            self.init(code, error.description, .hostHeld(milliseconds: milliseconds), status: status)
        } else {
            let handling: Handling = statuses.contains(status) ? .retry(atMost: nil) : .permanent
            self.init(code, error.description, handling, status: status)
        }
    }
}
