/// The canonical form of a received request, over which its signature is computed.
///
/// S3 encodes the path once and does not normalise it (Amazon S3 API Reference, "Signature Calculations for the
/// Authorization Header", task 1).
struct CanonicalRequest {
    let text: String

    /// Creates it from the decoded `path` and the names of the signed headers in order; `payloadHash` is its last line.
    init(
        _ request: LoopbackServer.Request,
        path: String,
        parameters: QueryParameters,
        signedHeaders: [String],
        payloadHash: String
    ) {
        let fields = signedHeaders.map { "\($0):\(Self.trimmed(request.headers[$0] ?? ""))\n" }
        text = [
            request.method, PercentEncoding.encode(path.utf8, keepsSlash: true), Self.query(parameters),
            fields.joined(), signedHeaders.joined(separator: ";"), payloadHash,
        ].joined(separator: "\n")
    }

    /// Encoded pairs in the order of their encoded names, then values; the signature itself is left out.
    private static func query(_ parameters: QueryParameters) -> String {
        guard !parameters.all.isEmpty else { return "" }
        return parameters.all.filter { $0.name != "X-Amz-Signature" }
            .map { (PercentEncoding.encode($0.name.utf8), PercentEncoding.encode($0.value.utf8)) }
            // The encoded texts are ASCII, in which Swift's order of strings is that of their bytes.
            .sorted { $0 < $1 }
            .map { "\($0)=\($1)" }
            .joined(separator: "&")
    }

    /// Without spaces at the ends, and with one for several in a row.
    private static func trimmed(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: " ")) else { return value }
        return value.utf8.split(separator: UInt8(ascii: " "))
            .map { String(Substring($0)) }.joined(separator: " ")
    }
}
