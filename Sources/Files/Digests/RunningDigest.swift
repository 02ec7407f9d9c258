import CCrypto
public import Foundation

/// An incremental SHA-256 digest that can be read at any point (FIPS 180-4).
///
/// Confined to one thread at a time.
public final class RunningDigest {
    private let context: OpaquePointer?

    /// Creates the digest of no bytes.
    public init() {
        _ = CryptoLibrary.keepsDataAtExit
        context = EVP_MD_CTX_new()
        let succeeded = EVP_DigestInit_ex(context, EVP_sha256(), nil)
        precondition(succeeded == 1, "libcrypto cannot compute SHA-256: is a restricted provider configured?")
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// Appends bytes.
    public func append(_ data: Data) {
        let succeeded = data.withUnsafeBytes { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(succeeded == 1, "libcrypto cannot go on with a digest")
    }

    /// Appends the UTF-8 bytes of `text`.
    public func append(_ text: String) {
        var text = text
        let succeeded = text.withUTF8 { EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        precondition(succeeded == 1, "libcrypto cannot go on with a digest")
    }

    /// Returns the first 64 bits of the digest so far, most significant first, and starts over with no bytes.
    public func restart() -> UInt64 {
        let bits = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { digest in
            let bytes = digest.bindMemory(to: UInt8.self)
            let succeeded = EVP_DigestFinal_ex(context, bytes.baseAddress, nil) == 1
            precondition(succeeded, "libcrypto cannot finish a digest")
            return UInt64(bigEndian: digest.load(as: UInt64.self))
        }
        // Without an algorithm argument, libcrypto keeps the current one and looks up none.
        let succeeded = EVP_DigestInit_ex(context, nil, nil)
        precondition(succeeded == 1, "libcrypto cannot begin a digest again")
        return bits
    }

    /// The digest of all bytes so far, 32 bytes.
    public var value: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        // Finalizing ends a digest, so it is done on a copy.
        let copy = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(copy) }
        let succeeded =
            EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &digest, nil) == 1
        precondition(succeeded, "libcrypto cannot finish a digest")
        return digest
    }
}
