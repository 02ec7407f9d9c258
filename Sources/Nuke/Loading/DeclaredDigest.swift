import Files
import Foundation

/// The digest that a server declares for its answer, by which changes on the way are detected.
///
/// It reads `Repr-Digest` and `Content-Digest` (RFC 9530, sections 2 and 3) and `Digest` (RFC 3230, section 4.3.2), of
/// the algorithms SHA-256 and SHA-512.
struct DeclaredDigest {
    private let digest: Digest
    private let bytes: [UInt8]

    /// Creates the digest that `response` declares for its whole representation; nil without one that can be checked.
    ///
    /// Of content that was encoded the digest is that of the encoded bytes, which are not the ones delivered.
    init?(_ response: ReceivedResponse?) {
        guard let response, !response.isEncoded else { return nil }
        // The content of an answer of a part is that part alone.
        let fields = response.statusCode == 206 ? ["Repr-Digest"] : ["Repr-Digest", "Content-Digest"]
        for field in fields + ["Digest"] {
            for member in (response.field(field) ?? "").split(separator: ",") {
                let parts = member.split(separator: "=", maxSplits: 1)
                guard parts.count == 2, let digest = Self.digest(named: parts[0]) else { continue }
                // A byte sequence stands between colons (RFC 8941, section 3.3.5); in the older field it does not.
                let text = parts[1].trimmingCharacters(
                    in: .whitespaces.union(CharacterSet(charactersIn: ":"))
                )
                guard let bytes = Data(base64Encoded: text), bytes.count == digest.size else { continue }
                (self.digest, self.bytes) = (digest, [UInt8](bytes))
                return
            }
        }
        return nil
    }

    private static func digest(named name: Substring) -> Digest? {
        switch name.trimmingCharacters(in: .whitespaces).lowercased() {
        case "sha-256": .sha256
        case "sha-512": .sha512
        default: nil
        }
    }

    /// Returns true if `data` has this digest; `sha256` is its SHA-256 if already known.
    func fits(_ data: Data, sha256: Data?) -> Bool {
        if digest == .sha256, let sha256 { return [UInt8](sha256) == bytes }
        return digest.bytes(of: data) == bytes
    }
}
