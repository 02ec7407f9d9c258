public import Foundation
public import Transport

/// An error that an object store answered, as its document describes it.
///
/// Source: Amazon S3 API Reference, "Error responses".
public struct S3Error: Error, Sendable {
    /// The HTTP status.
    public let status: Int
    /// The code, such as `NoSuchKey`; empty if the answer had no document.
    public let code: String
    /// The message of the service; empty if there was none.
    public let message: String
    /// The region of the bucket, if the answer names it.
    public let region: String?
    /// The service's identifier of the request, for its support.
    public let requestID: String?
    /// The method of the request if it is known.
    private let method: String?

    /// Creates the error of an answer to a request of `method`; nil for one that succeeded.
    ///
    /// A service may begin an answer with status 200 before it knows the result; the document then names the error.
    public init?(_ head: ResponseHead, body: Data, method: String? = nil) {
        let isSuccess = head.isSuccess
        // Documents of listings are long, and nearly all answers are good.
        guard !isSuccess || Self.mayBeError(body) else { return nil }
        let isDocument = body.count <= 1 << 20 && body.first { $0 > 0x20 } == UInt8(ascii: "<")
        let document = isDocument ? XMLElement(body) : nil
        let error = document?.name == "Error" ? document : document?["Error"]
        guard !isSuccess || document?.name == "Error" else { return nil }
        status = head.status
        self.method = method
        // A store may repeat what it was sent, as in the text that it has signed itself.
        func text(_ name: String) -> String? { (error?[name]?.text).map(head.carried.hidden) }
        code = text("Code") ?? ""
        message = TransportError.printable(text("Message") ?? "")
        let region = head.value(of: "x-amz-bucket-region") ?? text("Region")
        self.region = region.flatMap { $0.isEmpty ? nil : $0 }
        requestID = head.value(of: "x-amz-request-id") ?? text("RequestId")
    }

    /// The most bytes of the document of an error.
    private static let longest = 64 << 10

    /// Returns false for a body that is certainly no document of an error, without parsing it.
    private static func mayBeError(_ body: Data) -> Bool {
        body.count <= longest && body.first { $0 > 0x20 } == UInt8(ascii: "<")
    }

    /// True if the service asks for a lower rate.
    public var isSlowDown: Bool {
        status == 503 || status == 429
            || ["SlowDown", "ServiceUnavailable", "RequestLimitExceeded", "TooManyRequests"].contains(code)
    }

    /// True if the same request may succeed later.
    ///
    /// A failure of the service is, whatever its number: gateways in front of one have numbers of their own, such as 520. So are
    /// bytes that were damaged on their way to it.
    public var isTransient: Bool {
        isSlowDown || [408, 425].contains(status)
            || (500...599).contains(status) && !Self.refusals.contains(status)
            || Self.transientCodes.contains(code)
    }

    /// The statuses of the service that are no failures: what was asked for is not implemented.
    private static let refusals = [501, 505]

    /// The codes of errors that may pass, whose status may be that of a success or of a wrong request.
    private static let transientCodes: Set = [
        "RequestTimeout", "OperationAborted", "ConditionalRequestConflict", "InternalError", "BadDigest",
        "IncompleteBody", "XAmzContentSHA256Mismatch",
    ]

    /// True if the credentials are temporary ones that have ended.
    ///
    /// Services other than AWS use other codes for unknown tokens.
    var isAboutExpiredCredentials: Bool {
        [
            "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "InvalidToken",
            "InvalidAccessKeyId",
            "RequestExpired",
        ].contains(code) || (code.isEmpty && status == 401)
    }

    /// True if the credentials are not accepted, so that no request with them will be.
    public var isAboutCredentials: Bool {
        isAboutExpiredCredentials || isAboutClock || code == "SignatureDoesNotMatch"
    }

    /// True if the clocks of the service and of this machine differ too much.
    var isAboutClock: Bool { code == "RequestTimeTooSkewed" || code == "RequestInTheFuture" }
}

extension S3Error: CustomStringConvertible {
    /// The error and, if it is known, its remedy.
    public var description: String {
        let told = [code, message].filter { !$0.isEmpty }.joined(separator: ": ")
        let what =
            told.isEmpty
            ? "the object store answered \(status)\(method.map { " to \($0)" } ?? "")"
            : "the object store answered \(status) \(told)"
        return remedy.map { "\(what); \($0)" } ?? what
    }

    private var remedy: String? {
        switch code {
        case "NoSuchBucket": "check the bucket's name and the endpoint"
        case "SignatureDoesNotMatch": "check the secret access key"
        case "InvalidAccessKeyId":
            "check the access key, for a temporary one AWS_SESSION_TOKEN, too, and that they belong to this endpoint"
        case "InvalidToken":
            "check AWS_SESSION_TOKEN: it belongs to one access key, and to temporary ones only"
        case "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException":
            "set storage.s3.region to \(region ?? "that of the bucket")"
        case "AccessDenied": "check the permissions of these credentials for this bucket and key"
        case "RequestTimeTooSkewed": "set the clock of this machine"
        case "ExpiredToken": "renew the credentials"
        case "" where !isTransient: remedyWithoutDocument
        default: nil
        }
    }

    /// The likely causes of an answer without a document: that to HEAD, or that of a server that is no object store.
    private var remedyWithoutDocument: String? {
        switch status {
        case 301, 307, 308:
            "set storage.s3.region to \(region ?? "that of the bucket"), and check the endpoint"
        case 304, 412, 416: nil
        case 401, 403:
            "check the credentials, their permissions (s3:GetObject, s3:ListBucket), and that the endpoint is an S3 service"
        case 404:
            "there is no such object or bucket: check both names, and that the endpoint is an S3 service"
        default: "check that the endpoint is an S3 service"
        }
    }
}
