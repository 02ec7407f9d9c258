import Files
import Foundation

/// A checksum that S3 stores with an object, named by its header `x-amz-checksum-…`.
enum Checksum: String, CaseIterable, Sendable {
    case crc32
    case crc32c
    case crc64nvme
    case sha1
    case sha256

    var header: String { "x-amz-checksum-\(rawValue)" }
    /// Its element in documents, such as `ChecksumCRC32C`.
    var element: String { "Checksum\(rawValue.uppercased())" }
    /// True for checksums that S3 combines from those of the parts, so that they cover the whole object by default.
    var coversWholeObject: Bool { self == .crc64nvme }

    /// The checksum's bytes, most significant first.
    func bytes(of data: Data) -> [UInt8] {
        switch self {
        case .crc32: Array(Self.ieee.bytes(of: data).suffix(4))
        case .crc32c: Array(Self.castagnoli.bytes(of: data).suffix(4))
        case .crc64nvme: Self.nvme.bytes(of: data)
        case .sha1: Digest.sha1.bytes(of: data)
        case .sha256: Digest.sha256.bytes(of: data)
        }
    }

    /// The header's value.
    func value(of data: Data) -> String {
        Data(bytes(of: data)).base64EncodedString()
    }

    /// The checksum over the checksums of the parts, as `VALUE-COUNT`.
    func composite(of parts: [String]) -> String {
        let bytes = parts.reduce(into: Data()) { $0 += Data(base64Encoded: $1) ?? Data() }
        return "\(value(of: bytes))-\(parts.count)"
    }

    private static let ieee = CyclicRedundancyCheck(reflected: 0xedb8_8320, width: 32)
    private static let castagnoli = CyclicRedundancyCheck(reflected: 0x82f6_3b78, width: 32)
    private static let nvme = CyclicRedundancyCheck(reflected: 0x9a6c_9329_ac4b_c9b5, width: 64)
}

/// A cyclic redundancy check with reflected input and output and all bits inverted at both ends.
private struct CyclicRedundancyCheck: Sendable {
    private let table: [UInt64]
    private let mask: UInt64

    init(reflected polynomial: UInt64, width: UInt64) {
        mask = UInt64.max >> (64 - width)
        table = (0..<256).map { byte in
            (0..<8).reduce(UInt64(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ polynomial : value >> 1 }
        }
    }

    /// Eight bytes, most significant first; a narrower check is at the end.
    func bytes(of data: Data) -> [UInt8] {
        let value = data.withUnsafeBytes { bytes in
            bytes.reduce(mask) { value, byte in
                value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
            }
        }
        return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: (value ^ mask) >> $0) }
    }
}
