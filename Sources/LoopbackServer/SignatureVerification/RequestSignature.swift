/// The signature that a request carries, in its `Authorization` header or in its query.
///
/// Amazon S3 API Reference, "Authenticating Requests (AWS Signature Version 4)".
struct RequestSignature {
    static let algorithm = "AWS4-HMAC-SHA256"

    let accessKeyID: String
    /// The scope's day, as `20130524`.
    let day: String
    let region: String
    let service: String
    /// The time of signing, as `20130524T000000Z`.
    let time: String
    let signedHeaders: [String]
    let signature: String
    let sessionToken: String?
    /// The seconds for which a presigned query is valid; nil for a header.
    let validSeconds: Int?

    var scope: String { "\(day)/\(region)/\(service)/aws4_request" }

    init(_ request: LoopbackServer.Request, parameters: QueryParameters) throws(ObjectStoreError) {
        if parameters.contains("X-Amz-Signature") || parameters.contains("X-Amz-Algorithm") {
            guard request.headers["authorization"] == nil else {
                throw .invalidArgument("Only one auth mechanism allowed")
            }
            try self.init(query: parameters)
        } else if let authorization = request.headers["authorization"] {
            try self.init(authorization: authorization, request: request)
        } else {
            throw .accessDenied("Access Denied")
        }
    }

    private init(authorization: String, request: LoopbackServer.Request) throws(ObjectStoreError) {
        guard authorization.hasPrefix(Self.algorithm + " ") else {
            throw .invalidArgument("Unsupported Authorization Type")
        }
        var fields: [Substring: Substring] = [:]
        for field in authorization.dropFirst(Self.algorithm.count + 1).split(separator: ",") {
            let pair = field.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, fields.updateValue(pair[1], forKey: pair[0]) == nil else {
                throw .malformed("The authorization header is malformed")
            }
        }
        guard let credential = fields["Credential"], let headers = fields["SignedHeaders"],
            let signature = fields["Signature"], fields.count == 3
        else {
            throw .malformed(
                "The authorization header must have exactly Credential, SignedHeaders and Signature"
            )
        }
        guard let time = request.headers["x-amz-date"] else {
            throw .accessDenied("AWS authentication requires a valid x-amz-date header")
        }
        try self.init(
            credential: credential,
            time: time,
            signedHeaders: headers,
            signature: signature,
            sessionToken: request.headers["x-amz-security-token"],
            validSeconds: nil
        )
    }

    private init(query: QueryParameters) throws(ObjectStoreError) {
        guard query["X-Amz-Algorithm"] == Self.algorithm, let credential = query["X-Amz-Credential"],
            let time = query["X-Amz-Date"], let expires = query["X-Amz-Expires"],
            let headers = query["X-Amz-SignedHeaders"], let signature = query["X-Amz-Signature"]
        else {
            throw .malformedQuery(
                "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, "
                    + "X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters"
            )
        }
        // A week at most.
        guard let seconds = Int(expires), (1...604_800).contains(seconds) else {
            throw .malformedQuery("X-Amz-Expires must be from 1 to 604800 seconds")
        }
        try self.init(
            credential: Substring(credential),
            time: time,
            signedHeaders: Substring(headers),
            signature: Substring(signature),
            sessionToken: query["X-Amz-Security-Token"],
            validSeconds: seconds
        )
    }

    private init(
        credential: Substring,
        time: String,
        signedHeaders: Substring,
        signature: Substring,
        sessionToken: String?,
        validSeconds: Int?
    ) throws(ObjectStoreError) {
        let parts = credential.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, parts[4] == "aws4_request" else {
            throw .malformed(
                "The Credential must have the form <key>/YYYYMMDD/REGION/SERVICE/aws4_request: \(credential)"
            )
        }
        guard parts[3] == "s3" else {
            throw .malformed("incorrect service \"\(parts[3])\"; expecting \"s3\"")
        }
        guard time.hasPrefix(parts[1]), parts[1].utf8.count == 8 else {
            throw .malformed("Invalid credential date \"\(parts[1])\"; it is not the day of \"\(time)\"")
        }
        let names = signedHeaders.split(separator: ";", omittingEmptySubsequences: false).map(String.init)
        guard names == names.sorted(), Set(names).count == names.count,
            names.allSatisfy({ $0 == $0.lowercased() && !$0.isEmpty })
        else {
            throw .malformed("SignedHeaders must be in lower case, in order, and each once: \(signedHeaders)")
        }
        (accessKeyID, day, region, service) = (parts[0], parts[1], parts[2], parts[3])
        self.time = time
        self.signedHeaders = names
        self.signature = String(signature)
        self.sessionToken = sessionToken
        self.validSeconds = validSeconds
    }
}
