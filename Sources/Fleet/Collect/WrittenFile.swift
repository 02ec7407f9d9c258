import Files
import Foundation

/// A file that an item has written, by digests of its path and of its bytes, which a part leaves for the proof of all parts.
///
/// Each is the first half of a SHA-256. Of a billion paths, two have the same half with a probability of 1 in 10^20.
struct WrittenFile: Sendable, Equatable, Comparable {
    /// The bytes of a file's digests: those of the path, then those of its bytes.
    static let size = 32

    let path: UInt128
    let bytes: UInt128

    /// Reads the digests of a file, ``size`` bytes.
    private init(_ digests: ArraySlice<UInt8>) {
        path = Self.number(digests.prefix(Self.size / 2))
        bytes = Self.number(digests.suffix(Self.size / 2))
    }

    /// Returns the digests of a file as they are written; `sha256` is that of its bytes, in hexadecimal.
    static func digests(ofPath path: String, sha256: SHA256Name) -> Data {
        Data(half(ofPath: path)) + sha256.bytes.prefix(size / 2)
    }

    static func digest(ofPath path: String) -> UInt128 {
        number(half(ofPath: path))
    }

    /// Calls `body` with each file whose digests are in `data`.
    static func forEach(in data: Data, _ body: (WrittenFile) -> Void) {
        let bytes = [UInt8](data)
        for offset in stride(from: 0, to: bytes.count - size + 1, by: size) {
            body(WrittenFile(bytes[offset..<offset + size]))
        }
    }

    static func < (one: WrittenFile, other: WrittenFile) -> Bool {
        (one.path, one.bytes) < (other.path, other.bytes)
    }

    private static func half(ofPath path: String) -> ArraySlice<UInt8> {
        Digest.sha256.bytes(of: Data(path.utf8)).prefix(size / 2)
    }

    private static func number(_ digest: ArraySlice<UInt8>) -> UInt128 {
        digest.reduce(0) { $0 << 8 | UInt128($1) }
    }
}
