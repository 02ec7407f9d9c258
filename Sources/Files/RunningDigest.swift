import CCrypto
public import Foundation

/// The SHA-256 digest of bytes that come in pieces, which can be asked for between any two of them (FIPS 180-4).
///
/// Confined to one thread at a time.
public final class RunningDigest {
    private let context = EVP_MD_CTX_new()

    /// The digest of no bytes yet.
    public init() {
        let succeeded = EVP_DigestInit_ex(context, EVP_sha256(), nil)
        precondition(succeeded == 1, "libcrypto cannot compute SHA-256: is a restricted provider configured?")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Takes the next bytes.
    public func append(_ data: Data) {
        let succeeded = data.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(succeeded == 1, "libcrypto cannot go on with a digest")
    }

    /// Takes the UTF-8 bytes of `text`.
    public func append(_ text: String) {
        var text = text
        let succeeded = text.withUTF8 { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(succeeded == 1, "libcrypto cannot go on with a digest")
    }

    /// The first 64 bits of the digest of all bytes so far, the most significant first; it begins again with none.
    public func restart() -> UInt64 {
        let bits = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
            let bytes = digest.bindMemory(to: UInt8.self)
            let succeeded = EVP_DigestFinal_ex(context, bytes.baseAddress, nil) == 1
            precondition(succeeded, "libcrypto cannot finish a digest")
            return UInt64(bigEndian: digest.load(as: UInt64.self))
        }
        // Without an algorithm it keeps the one that it has, and looks for none.
        let succeeded = EVP_DigestInit_ex(context, nil, nil)
        precondition(succeeded == 1, "libcrypto cannot begin a digest again")
        return bits
    }

    /// The digest of all bytes so far, 32 bytes.
    public var value: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        // The end of a digest is its end: it is made of a copy, so that more can follow.
        let copy = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(copy) }
        let succeeded =
            EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &digest, nil) == 1
        precondition(succeeded, "libcrypto cannot finish a digest")
        return digest
    }
}
