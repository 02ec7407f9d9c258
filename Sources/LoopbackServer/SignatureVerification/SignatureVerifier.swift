import Files
import Foundation
import Synchronization

/// Verifies the signatures of requests (AWS Signature Version 4, as S3 uses it).
///
/// Written from AWS's specification, and shares no code with a client, so that it finds a client's errors.
final class SignatureVerifier: Sendable {
    /// The most by which a request's time may differ from the server's.
    private static let tolerance: TimeInterval = 15 * 60

    /// Derived keys by secret, day and region, which many requests share.
    private let signingKeys = Mutex<[String: [UInt8]]>([:])

    /// Verifies `request` and its body.
    /// - Throws: The error with which S3 refuses it.
    func verify(
        _ request: LoopbackServer.Request,
        path: String,
        parameters: QueryParameters,
        credentials: [AccessKey],
        at now: Date
    ) throws(ObjectStoreError) -> RequestSignature {
        let signature = try RequestSignature(request, parameters: parameters)
        try checkTime(of: signature, now)
        let credential = try credential(of: signature, among: credentials, now)
        try checkSignedHeaders(of: signature, request)
        let payloadHash = try payloadHash(of: request, signature)
        let canonical = CanonicalRequest(
            request,
            path: path,
            parameters: parameters,
            signedHeaders: signature.signedHeaders,
            payloadHash: payloadHash
        )
        let hash = Digest.sha256.hex(of: canonical.text)
        let text = "\(RequestSignature.algorithm)\n\(signature.time)\n\(signature.scope)\n\(hash)"
        let key = signingKey(secret: credential.secretAccessKey, signature)
        guard Digest.hex(Digest.sha256.authentication(of: text, key: key)) == signature.signature else {
            throw .signatureDoesNotMatch(signature, stringToSign: text, canonicalRequest: canonical.text)
        }
        try checkBody(of: request, payloadHash)
        return signature
    }

    private func checkTime(of signature: RequestSignature, _ now: Date) throws(ObjectStoreError) {
        guard let time = SignedDate.parse(basic: signature.time) else {
            throw .accessDenied("AWS authentication requires a valid x-amz-date header")
        }
        let age = now.timeIntervalSince(time)
        guard let validSeconds = signature.validSeconds else {
            guard abs(age) <= Self.tolerance else { throw .requestTimeTooSkewed(signature.time, now: now) }
            return
        }
        guard age >= -Self.tolerance else { throw .accessDenied("Request is not yet valid") }
        guard age <= Double(validSeconds) else { throw .accessDenied("Request has expired") }
    }

    private func credential(
        of signature: RequestSignature,
        among credentials: [AccessKey],
        _ now: Date
    ) throws(ObjectStoreError) -> AccessKey {
        let candidates = credentials.filter { $0.accessKeyID == signature.accessKeyID }
        guard let first = candidates.first else { throw .invalidAccessKeyID(signature.accessKeyID) }
        guard let credential = candidates.first(where: { $0.sessionToken == signature.sessionToken }) else {
            // S3 does not know a temporary key without its token.
            if signature.sessionToken == nil { throw .invalidAccessKeyID(first.accessKeyID) }
            throw ObjectStoreError(
                400,
                code: "InvalidToken",
                "The provided token is malformed or otherwise invalid."
            )
        }
        if let expiration = credential.expiration, expiration <= now {
            throw ObjectStoreError(400, code: "ExpiredToken", "The provided token has expired.")
        }
        return credential
    }

    /// Checks that `host` and every `x-amz-` header that was sent are signed.
    private func checkSignedHeaders(
        of signature: RequestSignature,
        _ request: LoopbackServer.Request
    ) throws(ObjectStoreError) {
        let signed = Set(signature.signedHeaders)
        let required = request.headers.keys.filter { $0.hasPrefix("x-amz-") } + ["host"]
        let unsigned = required.filter { !signed.contains($0) }
        guard unsigned.isEmpty else { throw .headersNotSigned(unsigned.sorted()) }
        let missing = signature.signedHeaders.filter { request.headers[$0] == nil }
        guard missing.isEmpty else {
            throw .accessDenied("Signed headers are missing: \(missing.joined(separator: ", "))")
        }
    }

    private func payloadHash(
        of request: LoopbackServer.Request,
        _ signature: RequestSignature
    ) throws(ObjectStoreError) -> String {
        guard let hash = request.headers["x-amz-content-sha256"] else {
            if signature.validSeconds != nil { return "UNSIGNED-PAYLOAD" }
            throw .invalidRequest("Missing required header for this request: x-amz-content-sha256")
        }
        if hash.hasPrefix("STREAMING-") {
            throw .notImplemented("A body in signed or trailed chunks (\(hash))")
        }
        let isDigest = hash.utf8.count == 64 && hash.allSatisfy { $0.isHexDigit && !$0.isUppercase }
        guard hash == "UNSIGNED-PAYLOAD" || isDigest else {
            throw .invalidArgument(
                "x-amz-content-sha256 must be UNSIGNED-PAYLOAD or a SHA-256 digest: \(hash)"
            )
        }
        return hash
    }

    private func checkBody(of request: LoopbackServer.Request, _ hash: String) throws(ObjectStoreError) {
        guard hash != "UNSIGNED-PAYLOAD" else { return }
        let computed = Digest.sha256.hex(of: request.body)
        guard computed == hash else {
            throw ObjectStoreError(
                400,
                code: "XAmzContentSHA256Mismatch",
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
                details: [("ClientComputedContentSHA256", hash), ("S3ComputedContentSHA256", computed)]
            )
        }
    }

    private func signingKey(secret: String, _ signature: RequestSignature) -> [UInt8] {
        let name = "\(secret)\n\(signature.day)\n\(signature.region)"
        if let known = signingKeys.withLock({ $0[name] }) { return known }
        var key = Array("AWS4\(secret)".utf8)
        for part in [signature.day, signature.region, signature.service, "aws4_request"] {
            key = Digest.sha256.authentication(of: part, key: key)
        }
        signingKeys.withLock { $0[name] = key }
        return key
    }
}
