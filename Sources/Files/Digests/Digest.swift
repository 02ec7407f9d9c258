import CCrypto
public import Foundation

/// A cryptographic digest, computed by the system's libcrypto (FIPS 180-4) with the processor's own instructions.
public enum Digest: Sendable {
    /// 128 bits (RFC 1321). Use it only where a protocol demands it, never for security.
    case md5
    /// 160 bits. Use it only for names that must match those of other systems, never for security.
    case sha1
    /// 256 bits.
    case sha256
    /// 512 bits.
    case sha512

    /// The number of bytes in the digest: 16, 20, 32 or 64.
    public var size: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha512: 64
        }
    }

    /// The digest of `data`, `size` bytes.
    public func bytes(of data: Data) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: size) { digest, count in
            data.withUnsafeBytes { compute($0, into: digest.baseAddress) }
            count = size
        }
    }

    /// The digest of `data` in lower-case hexadecimal, two characters a byte.
    public func hex(of data: Data) -> String {
        data.withUnsafeBytes { hex(of: $0) }
    }

    /// The digest of the UTF-8 bytes of `text` in lower-case hexadecimal.
    public func hex(of text: String) -> String {
        var text = text
        return text.withUTF8 { hex(of: UnsafeRawBufferPointer($0)) }
    }

    private func hex(of input: UnsafeRawBufferPointer) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { digest in
            compute(input, into: digest.baseAddress)
            return Self.hex(digest)
        }
    }

    /// The message authentication code of the UTF-8 bytes of `text`, `size` bytes (HMAC, RFC 2104).
    public func authentication(of text: String, key: [UInt8]) -> [UInt8] {
        var text = text
        return [UInt8](unsafeUninitializedCapacity: size) { code, count in
            let made = text.withUTF8 {
                HMAC(algorithm, key, Int32(key.count), $0.baseAddress, $0.count, code.baseAddress, nil)
            }
            precondition(made != nil, "libcrypto cannot compute an HMAC with \(self)")
            count = size
        }
    }

    /// Writes the digest of `input`, `size` bytes, to `digest`.
    private func compute(_ input: UnsafeRawBufferPointer, into digest: UnsafeMutablePointer<UInt8>?) {
        let succeeded = EVP_Digest(input.baseAddress, input.count, digest, nil, algorithm, nil)
        precondition(succeeded == 1, "libcrypto cannot compute \(self): is a restricted provider configured?")
    }

    /// Bytes in lower-case hexadecimal, two characters each.
    public static func hex(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { characters in
            var count = 0
            func add(_ digit: UInt8) {
                characters.initializeElement(at: count, to: digit < 10 ? 0x30 + digit : 0x57 + digit)
                count += 1
            }
            for byte in bytes {
                add(byte >> 4)
                add(byte & 15)
            }
            return count
        }
    }

    /// Looked up once, because libcrypto otherwise searches its providers for every digest.
    // Unsafe because a pointer is not Sendable. Nothing changes what it points to, and libcrypto counts its uses
    // atomically.
    nonisolated(unsafe) private static let fetched = {
        _ = CryptoLibrary.keepsDataAtExit
        return (
            md5: EVP_MD_fetch(nil, "MD5", nil), sha1: EVP_MD_fetch(nil, "SHA1", nil),
            sha256: EVP_MD_fetch(nil, "SHA256", nil), sha512: EVP_MD_fetch(nil, "SHA512", nil)
        )
    }()

    fileprivate var algorithm: OpaquePointer? {
        switch self {
        case .md5: Self.fetched.md5
        case .sha1: Self.fetched.sha1
        case .sha256: Self.fetched.sha256
        case .sha512: Self.fetched.sha512
        }
    }
}

/// An incremental digest that can be read at any point, a SHA-256 unless it is of another kind.
///
/// Confined to one thread at a time.
public final class RunningDigest {
    private let context: OpaquePointer?
    private let kind: Digest

    /// Creates the digest of no bytes.
    public init(_ kind: Digest = .sha256) {
        self.kind = kind
        context = EVP_MD_CTX_new()
        let succeeded = EVP_DigestInit_ex(context, kind.algorithm, nil)
        precondition(succeeded == 1, "libcrypto cannot compute \(kind): is a restricted provider configured?")
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
        let bits = withUnsafeTemporaryAllocation(byteCount: kind.size, alignment: 8) { digest in
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

    /// The digest of all bytes so far, as many bytes as its kind has.
    public var value: [UInt8] {
        var digest = [UInt8](repeating: 0, count: kind.size)
        // Finalizing ends a digest, so it is done on a copy.
        let copy = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(copy) }
        let succeeded =
            EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &digest, nil) == 1
        precondition(succeeded, "libcrypto cannot finish a digest")
        return digest
    }
}
