import Files
import Foundation

/// The digest that a server declares for its answer, by which changes on the way are detected.
///
/// It reads `Repr-Digest` and `Content-Digest` (RFC 9530, sections 2 and 3) and `Digest` (RFC 3230, section 4.3.2), of
/// the algorithms SHA-256 and SHA-512; and `x-amz-checksum-…` (Amazon S3 User Guide, "Checking object integrity").
struct DeclaredDigest {
    private enum Algorithm {
        case digest(Digest)
        case checksum(Checksum)
    }

    private let algorithm: Algorithm
    private let bytes: [UInt8]

    /// The fields of object stores, the strongest digest first.
    private static let ofObjects: [(field: String, algorithm: Algorithm)] = [
        ("x-amz-checksum-sha256", .digest(.sha256)), ("x-amz-checksum-crc64nvme", .checksum(.crc64NVMe)),
        ("x-amz-checksum-crc32c", .checksum(.crc32c)), ("x-amz-checksum-crc32", .checksum(.crc32)),
        ("x-amz-checksum-sha1", .digest(.sha1)),
    ]

    private init(_ algorithm: Algorithm, _ bytes: Data) {
        (self.algorithm, self.bytes) = (algorithm, [UInt8](bytes))
    }

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
                self.init(.digest(digest), bytes)
                return
            }
        }
        self.init(ofObject: response)
    }

    /// Creates the checksum of an object; nil for one of its parts' checksums, and for an answer of a part.
    private init?(ofObject response: ReceivedResponse) {
        guard response.statusCode == 200, response.field("x-amz-checksum-type")?.uppercased() != "COMPOSITE"
        else { return nil }
        for (field, algorithm) in Self.ofObjects {
            // The checksum of parts has their number behind a hyphen, which is not base64.
            guard let text = response.field(field), let bytes = Data(base64Encoded: text), !bytes.isEmpty
            else { continue }
            self.init(algorithm, bytes)
            return
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
        switch algorithm {
        case .digest(.sha256): sha256.map { [UInt8]($0) == bytes } ?? (Digest.sha256.bytes(of: data) == bytes)
        case .digest(let digest): digest.bytes(of: data) == bytes
        case .checksum(let checksum): checksum.bytes(of: data) == bytes
        }
    }
}
