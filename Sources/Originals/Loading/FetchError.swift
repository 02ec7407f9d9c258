/// An error of a fetch that is none of its loader.
package enum FetchError: Error, Sendable {
    /// The cache does not have the bytes, and nothing may be loaded.
    case notCached
    /// The answer has no byte.
    case empty
    /// The answer has more bytes than allowed.
    case tooLarge
    /// The fetch was cancelled, or the fetcher stopped.
    case cancelled
}

/// An error of a loader that tells the status of the answer that it refused.
package protocol StatusError: Error {
    /// The status; nil without an answer.
    var statusCode: Int? { get }
}

extension DataLoadingError: StatusError {}
