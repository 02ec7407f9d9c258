import Files
import Foundation

/// Signs requests with AWS Signature Version 4.
///
/// Source: AWS Identity and Access Management User Guide, "Create a signed AWS API request", and Amazon S3 API Reference,
/// "Authenticating Requests (AWS Signature Version 4)". libcurl's own signatures are not used: version 7.88 signs paths and
/// queries as they are written, which services refuse if a key holds `=` or `+`.
struct SignatureV4 {
    private static let algorithm = "AWS4-HMAC-SHA256"
    /// Header fields that the client or a proxy changes after the signature.
    private static let unsigned: Set<String> = [
        "accept", "accept-encoding", "authorization", "connection", "expect", "transfer-encoding",
        "user-agent", "x-amzn-trace-id",
    ]

    private let signature: AWSSignature
    private let date: Date
    private var credentials: AWSCredentials { signature.credentials }

    /// Signs as `signature` says at `date` of the local clock; the service compares the time with its own.
    init(_ signature: AWSSignature, at date: Date = Date()) {
        self.signature = signature
        self.date = date.addingTimeInterval(signature.clockOffset)
    }

    /// Returns the header fields that make `request` a signed one.
    ///
    /// An `X-Amz-Date` or `X-Amz-Content-Sha256` of the request's own is signed as it is.
    func headers(for request: TransferRequest) -> [TransferRequest.Header] {
        let url = SignedURL(request.url)
        var added: [TransferRequest.Header] = []
        func value(of name: String, else make: () -> String) -> String {
            if let given = request.headers.first(where: { $0.isNamed(name) }) { return given.value }
            let header = TransferRequest.Header(name, make())
            added.append(header)
            return header.value
        }
        let time = value(of: "X-Amz-Date") { Self.time(date) }
        let payload: String
        if isForS3 {
            payload = value(of: "X-Amz-Content-Sha256") { sha256(of: request.body) }
        } else {
            payload = sha256(of: request.body)
        }
        if let token = credentials.sessionToken { _ = value(of: "X-Amz-Security-Token") { token } }
        let (fields, names) = Self.canonicalHeaders(request.headers + added, host: url.host)
        let canonical = [request.method, path(of: url), url.query, fields, names, payload]
        let text = canonical.joined(separator: "\n")
        let value =
            "\(Self.algorithm) Credential=\(credential(time)), SignedHeaders=\(names), "
            + "Signature=\(authentication(of: text, time))"
        return added + [TransferRequest.Header("Authorization", value)]
    }

    /// A file that cannot be read ends the transfer when it is sent; its signature does not count.
    private func sha256(of body: Payload?) -> String {
        signature.bodySHA256 ?? (try? Digest.sha256.hex(of: body ?? Payload(Data()))) ?? ""
    }

    /// Returns `url` with a signature in its query, with which anybody can send `method` for a while.
    ///
    /// The body is not signed.
    /// - Parameters:
    ///   - method: The method, such as `GET`.
    ///   - url: The absolute URL without a fragment.
    ///   - seconds: The time for which the URL is valid, at most seven days.
    /// - Returns: The URL.
    func presigned(_ method: String, _ url: String, seconds: Int) -> String {
        let time = Self.time(date)
        let host = SignedURL(url).host
        var parameters = [
            ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", credential(time)), ("X-Amz-Date", time),
            ("X-Amz-Expires", String(seconds)), ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { parameters.append(("X-Amz-Security-Token", token)) }
        let added = parameters.map { "\($0)=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
        let whole = url + (url.contains("?") ? "&" : "?") + added
        let target = SignedURL(whole)
        let payload = isForS3 ? "UNSIGNED-PAYLOAD" : Digest.sha256.hex(of: "")
        let canonical = [method, path(of: target), target.query, "host:\(host)\n", "host", payload]
        return whole + "&X-Amz-Signature=\(authentication(of: canonical.joined(separator: "\n"), time))"
    }

    private func path(of url: SignedURL) -> String {
        isForS3 ? url.path : PercentEncoding.encoded(url.path, keeping: "/")
    }

    /// Returns the parts of the scope: the day, the region, the service and a constant.
    private func scope(_ time: String) -> [String] {
        [String(time.prefix(8)), signature.region, signature.service, "aws4_request"]
    }

    private func credential(_ time: String) -> String {
        "\(credentials.accessKey)/\(scope(time).joined(separator: "/"))"
    }

    /// Returns the signature of a canonical request in hexadecimal.
    private func authentication(of canonical: String, _ time: String) -> String {
        let scope = scope(time)
        let text = [Self.algorithm, time, scope.joined(separator: "/"), Digest.sha256.hex(of: canonical)]
        let key = scope.reduce(Array("AWS4\(credentials.secretKey)".utf8)) {
            Digest.sha256.authentication(of: $1, key: $0)
        }
        return Digest.hex(Digest.sha256.authentication(of: text.joined(separator: "\n"), key: key))
    }

    /// S3 encodes paths once and wants the payload's hash in a header field; other services encode them twice.
    private var isForS3: Bool { signature.service.hasPrefix("s3") }

    /// Returns the signed header fields, one a line with an empty line at the end, and their names.
    private static func canonicalHeaders(
        _ headers: [TransferRequest.Header],
        host: String
    ) -> (fields: String, names: String) {
        var values: [String: String] = [:]
        for header in headers {
            let name = header.name.lowercased()
            guard !unsigned.contains(name) else { continue }
            let value = header.value.split(separator: " ").joined(separator: " ")
            values[name] = values[name].map { "\($0),\(value)" } ?? value
        }
        if values["host"] == nil { values["host"] = host }
        let names = values.keys.sorted()
        return (names.map { "\($0):\(values[$0] ?? "")\n" }.joined(), names.joined(separator: ";"))
    }

    /// The date in the basic format of ISO 8601, such as `20130524T000000Z`.
    private static func time(_ date: Date) -> String {
        var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let numbers = [
            parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
        ]
        return String(format: "%04d%02d%02dT%02d%02d%02dZ", arguments: numbers)
    }
}
