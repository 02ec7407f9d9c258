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

    private let credentials: AWSCredentials
    private let date: Date

    /// Signs with `credentials` at `date`, which the service compares with its own clock.
    init(_ credentials: AWSCredentials, at date: Date = Date()) {
        self.credentials = credentials
        self.date = date
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
            payload = value(of: "X-Amz-Content-Sha256") { Digest.sha256.hex(of: request.body ?? Data()) }
        } else {
            payload = Digest.sha256.hex(of: request.body ?? Data())
        }
        if let token = credentials.sessionToken { _ = value(of: "X-Amz-Security-Token") { token } }
        let (fields, names) = Self.canonicalHeaders(request.headers + added, host: url.host)
        let path = isForS3 ? url.path : SignedURL.encoded(url.path, keeping: "/")
        let canonical = [request.method, path, url.query, fields, names, payload].joined(separator: "\n")

        let scope = [String(time.prefix(8)), credentials.region, credentials.service, "aws4_request"]
        let text = [Self.algorithm, time, scope.joined(separator: "/"), Digest.sha256.hex(of: canonical)]
        let key = scope.reduce(Array("AWS4\(credentials.secretKey)".utf8)) {
            Digest.sha256.authentication(of: $1, key: $0)
        }
        let signature = Digest.hex(Digest.sha256.authentication(of: text.joined(separator: "\n"), key: key))
        let credential = "\(credentials.accessKey)/\(scope.joined(separator: "/"))"
        let value =
            "\(Self.algorithm) Credential=\(credential), SignedHeaders=\(names), Signature=\(signature)"
        return added + [TransferRequest.Header("Authorization", value)]
    }

    /// S3 encodes paths once and wants the payload's hash in a header field; other services encode them twice.
    private var isForS3: Bool { credentials.service.hasPrefix("s3") }

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

/// The parts of a URL in the form that is signed: each byte is encoded in one way only.
struct SignedURL {
    /// The value of the `Host` field: the port is left out if it is the scheme's own.
    let host: String
    /// The path, encoded once.
    let path: String
    /// The query, sorted by name and value, each encoded once.
    let query: String

    init(_ url: String) {
        let parts = url.prefix { $0 != "#" }.split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let target = parts.first ?? ""
        let scheme = target.prefix { $0 != ":" }.lowercased()
        let rest = target.dropFirst(scheme.count + "://".count)
        let authority = rest.prefix { $0 != "/" }
        let address = authority.split(separator: "@").last.map { $0.lowercased() } ?? ""
        let port = scheme == "https" ? ":443" : ":80"
        host = address.hasSuffix(port) ? String(address.dropLast(port.count)) : address
        let path = rest.dropFirst(authority.count)
        self.path = path.isEmpty ? "/" : Self.encoded(Self.decoded(path), keeping: "/")
        let pairs = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { pair in
            pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                // Services read a plus sign in a query as a space.
                .map { Self.encoded(Self.decoded($0.map { $0 == "+" ? "%20" : String($0) }.joined())) }
        }
        let sorted = pairs.map { (name: $0[0], value: $0.count > 1 ? $0[1] : "") }.sorted { $0 < $1 }
        query = sorted.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
    }

    /// Returns the bytes that percent-encoded text stands for.
    private static func decoded(_ text: some StringProtocol) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest.removeFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Returns text with every byte encoded but those that RFC 3986 (section 2.3) reserves for no purpose, and `kept`.
    static func encoded(_ text: String, keeping kept: String = "") -> String {
        encoded(Array(text.utf8), keeping: kept)
    }

    private static func encoded(_ bytes: [UInt8], keeping kept: String = "") -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var encoded: [UInt8] = []
        for byte in bytes {
            if isUnreserved(byte) || kept.utf8.contains(byte) {
                encoded.append(byte)
            } else {
                encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}
