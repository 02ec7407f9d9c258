import Files
import Transport

/// A failure of a store.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The classes of failures.
    public enum Reason: Sendable, Hashable {
        /// There is no such object.
        case notFound
        /// The store refuses it: permissions, an unknown bucket, a key that it cannot keep.
        case refused
        /// The credentials are missing, wrong or have ended.
        case credentials
        /// The store did not answer, or answered with a failure of its own, after several attempts.
        case unavailable
        /// The bytes that arrived are not those that were sent.
        case damaged
        /// A problem of this machine, such as a full disk.
        case local
        /// The task was cancelled.
        case cancelled
    }

    /// The class of the failure.
    public let reason: Reason
    /// The failure, the object, and the remedy if there is one.
    public let description: String
    /// The error that the service answered, if it was one.
    public let service: S3Error?

    init(_ reason: Reason, _ description: String, service: S3Error? = nil) {
        self.reason = reason
        self.description = description
        self.service = service
    }

    init(_ error: S3Error, _ location: ObjectLocation, to operation: String) {
        let reason: Reason =
            switch (error.status, error.code) {
            case (_, "NoSuchBucket"): .refused
            case (404, _): .notFound
            case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (_, "ExpiredToken"),
                (_, "InvalidToken"),
                (_, "RequestTimeTooSkewed"), (401, _):
                .credentials
            default: error.isTransient ? .unavailable : .refused
            }
        self.init(reason, "cannot \(operation) \(location): \(error)", service: error)
    }

    init(_ error: TransportError, _ location: ObjectLocation, to operation: String) {
        let reason: Reason =
            switch error.reason {
            case .cancelled: .cancelled
            case .local: .local
            case .integrity, .truncated: .damaged
            case .badURL, .scheme, .address, .protocol, .tooLarge, .notFound: .refused
            case .dns, .refused, .timeout, .reset, .tls, .empty: .unavailable
            }
        self.init(reason, "cannot \(operation) \(location): \(error)")
    }

    init(_ error: FileError) {
        let reason: Reason = error.isMissing ? .notFound : error.isAboutName ? .refused : .local
        self.init(reason, error.description)
    }
}
