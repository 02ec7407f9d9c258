import Foundation

/// An error with which S3 answers (Amazon S3 API Reference, "Error responses").
struct ObjectStoreError: Error {
    let status: Int
    let code: String
    let message: String
    /// Further elements of the error document.
    var details: [(name: String, value: String)]
    var headers: [(name: String, value: String)]

    init(
        _ status: Int,
        code: String,
        _ message: String,
        details: [(name: String, value: String)] = [],
        headers: [(name: String, value: String)] = []
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers
    }

    func document(resource: String, requestID: String) -> Data {
        var xml = XMLText(root: "Error", namespace: nil)
        xml.add("Code", code)
        xml.add("Message", message)
        for detail in details { xml.add(detail.name, detail.value) }
        xml.add("Resource", resource)
        xml.add("RequestId", requestID)
        xml.add("HostId", "loopback")
        return xml.data
    }
}

extension ObjectStoreError {
    static func accessDenied(_ message: String) -> Self { Self(403, code: "AccessDenied", message) }
    static func invalidArgument(_ message: String) -> Self { Self(400, code: "InvalidArgument", message) }
    static func invalidRequest(_ message: String) -> Self { Self(400, code: "InvalidRequest", message) }
    static func malformed(_ message: String) -> Self {
        Self(400, code: "AuthorizationHeaderMalformed", message)
    }
    static func malformedQuery(_ message: String) -> Self {
        Self(400, code: "AuthorizationQueryParametersError", message)
    }
    static func malformedXML(_ message: String) -> Self {
        Self(
            400,
            code: "MalformedXML",
            "The XML you provided was not well-formed or did not validate: \(message)"
        )
    }
    static func badDigest(_ name: String) -> Self {
        Self(400, code: "BadDigest", "The \(name) you specified did not match what we received.")
    }
    static func notImplemented(_ what: String) -> Self {
        Self(501, code: "NotImplemented", "\(what) is not implemented by this server.")
    }
    static func noSuchKey(_ key: String) -> Self {
        Self(404, code: "NoSuchKey", "The specified key does not exist.", details: [("Key", key)])
    }
    static func noSuchBucket(_ bucket: String) -> Self {
        Self(
            404,
            code: "NoSuchBucket",
            "The specified bucket does not exist",
            details: [("BucketName", bucket)]
        )
    }
    static func noSuchUpload(_ uploadID: String) -> Self {
        Self(
            404,
            code: "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been "
                + "aborted or completed.",
            details: [("UploadId", uploadID)]
        )
    }
    static func preconditionFailed(_ condition: String) -> Self {
        Self(
            412,
            code: "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            details: [("Condition", condition)]
        )
    }
    /// The region in the credential's scope is not that of the bucket.
    static func wrongRegion(_ region: String, expected: String) -> Self {
        Self(
            400,
            code: "AuthorizationHeaderMalformed",
            "The authorization header is malformed; the region '\(region)' is wrong; expecting '\(expected)'",
            details: [("Region", expected)]
        )
    }
    /// The bucket must be addressed in its own region.
    static func permanentRedirect(bucket: String, region: String, endpoint: String) -> Self {
        Self(
            301,
            code: "PermanentRedirect",
            "The bucket you are attempting to access must be addressed using the specified endpoint. Please send "
                + "all future requests to this endpoint.",
            details: [("Endpoint", endpoint), ("Bucket", bucket)],
            headers: [("x-amz-bucket-region", region)]
        )
    }
}
