import Files
package import Transport

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
        /// It has more bytes than it may have.
        case tooLarge
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

    /// True if the same request may succeed later, without a change by anybody.
    package var isTemporary: Bool {
        switch reason {
        case .notFound, .refused, .credentials, .tooLarge: false
        case .unavailable, .damaged, .local, .cancelled: true
        }
    }

    init(_ reason: Reason, _ description: String, service: S3Error? = nil) {
        self.reason = reason
        self.description = description
        self.service = service
    }

    /// Creates the error of an answer; `endpoint` is nil for AWS.
    init(_ error: S3Error, _ location: ObjectLocation, to operation: String, at endpoint: String? = nil) {
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
        // A document shows that the endpoint is an object store.
        let place = error.code.isEmpty ? Self.place(endpoint) : ""
        let remedy = endpoint.flatMap { Self.remedy(error, $0) }.map { "; \($0)" } ?? ""
        self.init(reason, "cannot \(operation) \(location)\(place): \(error)\(remedy)", service: error)
    }

    /// Creates the error of a request without an answer; `endpoint` is nil for AWS.
    init(
        _ error: TransportError,
        _ location: ObjectLocation,
        to operation: String,
        at endpoint: String? = nil
    ) {
        let remedy = error.remedy(at: endpoint)
        let reason: Reason =
            switch error.reason {
            case .cancelled: .cancelled
            case .local: .local
            case .integrity, .truncated: .damaged
            case .badURL, .scheme, .address, .protocol, .notFound: .refused
            case .tooLarge: .tooLarge
            case .tls where remedy != nil: .refused
            case .dns, .refused, .timeout, .reset, .tls, .empty: .unavailable
            }
        let end = remedy.map { "; \($0)" } ?? ""
        self.init(reason, "cannot \(operation) \(location)\(Self.place(endpoint)): \(error)\(end)")
    }

    /// Creates the error of an answer that is none of an object store, though its status is that of a success.
    init(_ answer: S3Response, _ location: ObjectLocation, to operation: String, at endpoint: String?) {
        let type = answer.head.value(of: "Content-Type").map { " with \(TransportError.printable($0))" } ?? ""
        self.init(
            .unavailable,
            "cannot \(operation) \(location)\(Self.place(endpoint)): the answer \(answer.head.status)\(type) does not say that it "
                + "was done, as those of object stores do; check the endpoint, and whether a proxy or a login page answers"
        )
    }

    private static func place(_ endpoint: String?) -> String { endpoint.map { " at \($0)" } ?? "" }

    /// The remedy for an endpoint that is probably wrong; nil for others.
    private static func remedy(_ error: S3Error, _ endpoint: String) -> String? {
        let rest = endpoint.firstRange(of: "://").map { endpoint[$0.upperBound...] } ?? ""
        if error.status == 404, let slash = rest.unicodeScalars.firstIndex(of: "/") {
            return
                "every request begins with the endpoint's path, \(rest[slash...]): remove it unless the service is there"
        }
        guard error.status == 400, error.code.isEmpty, endpoint.lowercased().hasPrefix("http://") else {
            return nil
        }
        return "if the server speaks TLS, write https://\(rest)"
    }

    init(_ error: FileError) {
        let reason: Reason = error.isMissing ? .notFound : error.isAboutName ? .refused : .local
        self.init(reason, error.description)
    }
}

extension TransportError {
    /// OpenSSL's names for an answer in plain text.
    private static let answersWithoutTLS = [
        "wrong version number", "packet length too long", "record layer failure", "http request",
    ]

    /// Returns the remedy for an endpoint with `https:` whose server speaks no TLS; nil for other failures.
    package func remedy(at endpoint: String?) -> String? {
        guard reason == .tls, let endpoint, endpoint.lowercased().hasPrefix("https://"),
            Self.answersWithoutTLS.contains(where: { message.contains($0) })
        else { return nil }
        return "the server speaks no TLS there: write http\(endpoint.dropFirst("https".count))"
    }
}
