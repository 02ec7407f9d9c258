import CTransport
import Files
import Foundation

/// The secrets that a request carries, and that an answer may repeat: nothing of an answer that repeats one is kept.
///
/// A secret is found as it was sent, percent-encoded and in Base64, and also a part of it, since an answer may have it in pieces.
/// May be used from any thread.
package struct RequestSecrets: Sendable {
    /// The text that stands for an answer's.
    package static let replacement = "redacted"

    /// The header fields of requests that say nothing that is secret, in lower case, besides those below.
    private static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "cache-control", "connection", "content-encoding",
        "content-length",
        "content-md5", "content-type", "date", "expect", "host", "if-match", "if-modified-since",
        "if-none-match", "if-range",
        "if-unmodified-since", "pragma", "range", "referer", "te", "user-agent",
    ]
    /// The fields of object stores, of which only the token is secret.
    private static let (storeFields, storeToken) = ("x-amz-", "x-amz-security-token")
    /// The fields of answers on which the transfer depends, in lower case: what is no credential is left in them.
    private static let needed: Set<String> = [
        "accept-ranges", "age", "cache-control", "connection", "content-encoding", "content-length",
        "content-range", "content-type",
        "date", "expires", "retry-after", "transfer-encoding",
    ]
    /// Shorter ones are no secrets, and would be found everywhere.
    private static let (shortest, shortestPiece, longestPiece) = (6, 6, 24)

    /// Pieces of credentials.
    private var credentials: [[UInt8]] = []
    /// Pieces of other header fields, such as keys of services.
    private var others: [[UInt8]] = []

    /// Creates the secrets of a request without any.
    package init() {}

    /// Collects the secrets of `request`, which was sent with these header fields.
    init(_ request: TransferRequest, sent headers: [TransferRequest.Header]) {
        self = request.carried
        for header in headers { add(header) }
        let secrets = Authentication.secrets(inURL: request.url) + (request.authentication?.secrets ?? [])
        for secret in secrets { add(secret, to: \.credentials) }
    }

    package var isEmpty: Bool { credentials.isEmpty && others.isEmpty }

    /// Returns a text of an answer, or the replacement if it repeats a part of a secret.
    package func hidden(_ text: String) -> String {
        repeats(text, credentials) || repeats(text, others) ? Self.replacement : text
    }

    /// Returns the header fields of an answer without those that repeat a part of a secret.
    ///
    /// `Location` stays, since it must be followed; where it is kept, it is hidden with the other URLs. A validator could not be sent
    /// back changed, and is left out.
    func hidden(_ headers: [TransferRequest.Header]) -> [TransferRequest.Header] {
        headers.compactMap { header in
            let name = header.name.lowercased()
            guard name != "location" else { return header }
            guard
                repeats(header.value, credentials)
                    || !Self.needed.contains(name) && repeats(header.value, others)
            else { return header }
            if name == "etag" || name == "last-modified" { return nil }
            return TransferRequest.Header(header.name, Self.replacement)
        }
    }

    private mutating func add(_ header: TransferRequest.Header) {
        let name = header.name.lowercased()
        switch name {
        case "authorization", "proxy-authorization":
            // The last word is the token, or the signature behind its name.
            let words = header.value.split { $0 == " " || $0 == "," }
            guard let last = words.last else { return }
            let token = last.split(separator: "=", maxSplits: 1)
            let isSignature = token.count == 2 && token[0].lowercased() == "signature"
            add(String(isSignature ? token[1] : last), to: \.credentials)
            if words.count == 2, let plain = Data(base64Encoded: String(last)) {
                let pair = String(decoding: plain, as: UTF8.self).split(separator: ":", maxSplits: 1)
                if pair.count == 2 { add(String(pair[1]), to: \.credentials) }
            }
        case "cookie":
            for cookie in header.value.split(separator: ";") {
                add(String(cookie.drop { $0 != "=" }.dropFirst()), to: \.credentials)
            }
        case Self.storeToken: add(header.value, to: \.credentials)
        case _ where Self.harmless.contains(name) || name.hasPrefix(Self.storeFields): break
        default: add(header.value, to: \.others)
        }
    }

    private mutating func add(
        _ secret: String,
        to list: WritableKeyPath<RequestSecrets, [[UInt8]]>,
        isEncoded: Bool = false
    ) {
        let bytes = Array(secret.utf8)
        guard bytes.count >= Self.shortest else { return }
        // Any two parts of a secret have a piece each.
        let size = min(max(bytes.count / 4, Self.shortestPiece), Self.longestPiece)
        let starts = Array(stride(from: 0, through: bytes.count - size, by: size)) + [bytes.count - size]
        self[keyPath: list] += Set(starts).map { Array(bytes[$0..<$0 + size]) }
        guard !isEncoded else { return }
        add(Data(bytes).base64EncodedString().trimmingCharacters(in: ["="]), to: list, isEncoded: true)
    }

    private func repeats(_ text: String, _ pieces: [[UInt8]]) -> Bool {
        guard !pieces.isEmpty, text.utf8.count >= Self.shortestPiece else { return false }
        if Self.holds(Array(text.utf8), pieces) { return true }
        // Any character may be percent-encoded.
        guard text.containsASCII("%"), let plain = text.removingPercentEncoding else {
            return false
        }
        return Self.holds(Array(plain.utf8), pieces)
    }

    private static func holds(_ text: [UInt8], _ pieces: [[UInt8]]) -> Bool {
        text.withUnsafeBytes { text in
            pieces.contains { piece in
                nb_contains(text.baseAddress, text.count, piece, piece.count) == 1
            }
        }
    }
}

extension RequestSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Says nothing of the secrets.
    package var description: String { isEmpty ? "none" : "some" }

    /// Says nothing of the secrets.
    package var debugDescription: String { description }

    /// Empty, so that `dump` prints nothing of the secrets.
    package var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
