import CDeflate
public import Foundation

/// A cyclic redundancy check, which detects accidental changes and is no protection against deliberate ones.
public enum Checksum: Sendable {
    /// 32 bits, polynomial 0x04C11DB7 (ISO 3309).
    case crc32
    /// 32 bits, Castagnoli's polynomial 0x1EDC6F41 (RFC 3720, section 12.1).
    case crc32c
    /// 64 bits, polynomial 0xAD93D23594C93659 (NVM Express, NVM Command Set Specification, section 5.2.1.3.4).
    case crc64NVMe

    /// The checksum of `data` in big-endian order: 4 or 8 bytes.
    public func bytes(of data: Data) -> [UInt8] {
        data.withUnsafeBytes { input in
            switch self {
            case .crc32: Self.bytes(UInt64(libdeflate_crc32(0, input.baseAddress, input.count)), count: 4)
            case .crc32c: Self.bytes(Self.castagnoli.value(of: input) & 0xFFFF_FFFF, count: 4)
            case .crc64NVMe: Self.bytes(Self.nvme.value(of: input), count: 8)
            }
        }
    }

    private static let castagnoli = SlicedTables(reflected: 0x82F6_3B78, ones: 0xFFFF_FFFF)
    private static let nvme = SlicedTables(reflected: 0x9A6C_9329_AC4B_C9B5, ones: .max)

    private static func bytes(_ value: UInt64, count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}

/// Tables that take eight bytes at a time.
///
/// Source: Kounavis and Berry, "A Systematic Approach to Building High Performance Software-based CRC Generators", 2005.
private struct SlicedTables: Sendable {
    /// Eight tables of 256 values.
    private let tables: [UInt64]
    /// The bits of the register, which begins with ones and is inverted at the end.
    private let ones: UInt64

    init(reflected polynomial: UInt64, ones: UInt64) {
        var tables = [UInt64](repeating: 0, count: 8 * 256)
        for index in 0..<256 {
            var value = UInt64(index)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ polynomial }
            tables[index] = value
        }
        for index in 256..<(8 * 256) {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        (self.tables, self.ones) = (tables, ones)
    }

    func value(of input: UnsafeRawBufferPointer) -> UInt64 {
        tables.withUnsafeBufferPointer { tables in
            var value = ones
            let whole = input.count & ~7
            for offset in stride(from: 0, to: whole, by: 8) {
                value ^= UInt64(littleEndian: input.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                let low = tables[0x700 + Int(value & 0xFF)] ^ tables[0x600 + Int(value >> 8 & 0xFF)]
                let second = tables[0x500 + Int(value >> 16 & 0xFF)] ^ tables[0x400 + Int(value >> 24 & 0xFF)]
                let third = tables[0x300 + Int(value >> 32 & 0xFF)] ^ tables[0x200 + Int(value >> 40 & 0xFF)]
                let high = tables[0x100 + Int(value >> 48 & 0xFF)] ^ tables[Int(value >> 56)]
                value = low ^ second ^ third ^ high
            }
            for byte in input[whole...] { value = value >> 8 ^ tables[Int((value ^ UInt64(byte)) & 0xFF)] }
            return value ^ ones
        }
    }
}
