import Files
import Foundation
import LoopbackServer

/// Sends signed requests to a store.
///
/// AWS's published signatures and botocore are the independent checks of the server's own reading; this signer is for the
/// tests of everything else.
struct StoreClient {
    typealias Answer = RawConnection.Answer

    static let credential = AccessKey(
        accessKeyID: "AKIDTEST",
        secretAccessKey: "se/cr+et"
    )

    let port: UInt16
    var host: String
    var credential = StoreClient.credential
    var region = "us-east-1"
    var time = Date()

    init(_ store: LoopbackObjectStore) {
        port = store.server.port
        host = "127.0.0.1:\(store.server.port)"
    }

    /// Sends a request for `target`, a path that begins with the bucket, and a query; both are sent as they are.
    ///
    /// `change` may change the header fields after they were signed; a field without a value is left out.
    func send(
        _ method: String,
        _ target: String,
        headers: [String: String] = [:],
        body: Data = Data(),
        change: [String: String?] = [:]
    ) throws -> Answer {
        var fields = signed(method, target, headers: headers, body: body)
        for (name, value) in change { fields[name] = value }
        return try send(method, target, fields: fields, body: body)
    }

    /// Sends a request with these fields alone, and `Content-Length` for a body.
    func send(_ method: String, _ target: String, fields: [String: String], body: Data = Data()) throws
        -> Answer
    {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
        let connection = try RawConnection(port: port)
        return connection.send(Data("\(head)\r\n".utf8) + body, isHead: method == "HEAD")
    }

    private func signed(
        _ method: String,
        _ target: String,
        headers: [String: String],
        body: Data
    ) -> [String: String] {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "UTC")
        format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
        let stamp = format.string(from: time)
        let scope = "\(stamp.prefix(8))/\(region)/s3/aws4_request"
        var fields = headers
        fields["host"] = host
        fields["x-amz-date"] = stamp
        fields["x-amz-content-sha256"] = headers["x-amz-content-sha256"] ?? Digest.sha256.hex(of: body)
        fields["x-amz-security-token"] = credential.sessionToken
        let names = fields.keys.map { $0.lowercased() }.sorted()
        let parts = target.components(separatedBy: "?")
        let query = (parts.count > 1 ? parts[1] : "").split(separator: "&").sorted()
            .map { $0.contains("=") ? String($0) : "\($0)=" }
        let canonical =
            [method, parts[0], query.joined(separator: "&")] + names.map { "\($0):\(fields[$0] ?? "")" }
            + ["", names.joined(separator: ";"), fields["x-amz-content-sha256"] ?? ""]
        let hash = Digest.sha256.hex(of: canonical.joined(separator: "\n"))
        var key = Array("AWS4\(credential.secretAccessKey)".utf8)
        for part in scope.split(separator: "/") {
            key = Digest.sha256.authentication(of: String(part), key: key)
        }
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(hash)"
        let signature = Digest.hex(Digest.sha256.authentication(of: text, key: key))
        fields["authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(credential.accessKeyID)/\(scope),"
            + "SignedHeaders=\(names.joined(separator: ";")),Signature=\(signature)"
        return fields
    }
}

extension LoopbackObjectStore {
    /// A store with `buckets` and the key of ``StoreClient``.
    convenience init(_ buckets: Bucket...) throws {
        try self.init(buckets: buckets, credentials: [StoreClient.credential])
    }
}
