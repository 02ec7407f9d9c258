internal import Foundation

/// Reads numbers and tags from data.
///
/// A read outside the data returns nil and never traps.
struct ByteReader {
    private let data: Data
    var count: Int { data.count }

    init(_ data: Data) {
        self.data = data
    }

    func byte(at offset: Int) -> Int? { number(of: UInt8.self, at: offset) }

    func bigEndian16(at offset: Int) -> Int? { number(of: UInt16.self, at: offset) }

    func bigEndian32(at offset: Int) -> Int? { number(of: UInt32.self, at: offset) }

    /// Reads the bytes of a number at once: each look into `Data` costs more than the number.
    private func number<Number: FixedWidthInteger>(of type: Number.Type, at offset: Int) -> Int? {
        guard offset >= 0, offset <= data.count - MemoryLayout<Number>.size else { return nil }
        return data.withUnsafeBytes {
            Int(Number(bigEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)))
        }
    }

    func littleEndian16(at offset: Int) -> Int? {
        bigEndian16(at: offset).map { ($0 & 0xFF) << 8 | $0 >> 8 }
    }

    func littleEndian32(at offset: Int) -> Int? {
        guard let low = littleEndian16(at: offset), let high = littleEndian16(at: offset + 2) else {
            return nil
        }
        return high << 16 | low
    }

    /// Four bytes as ASCII text; nil if any of them isn't printable ASCII.
    func tag(at offset: Int) -> String? {
        var text = ""
        for index in offset..<offset + 4 {
            guard let byte = byte(at: index), (0x20..<0x7F).contains(byte) else { return nil }
            text.unicodeScalars.append(Unicode.Scalar(UInt8(byte)))
        }
        return text
    }

    func starts(with bytes: [UInt8], at offset: Int = 0) -> Bool {
        guard offset >= 0, offset <= data.count - bytes.count else { return false }
        return data.withUnsafeBytes { $0[offset..<offset + bytes.count].elementsEqual(bytes) }
    }

    /// The rest of a range after a prefix; nil if the range doesn't begin with the prefix or is shorter.
    func range(after prefix: [UInt8], in range: Range<Int>) -> Range<Int>? {
        guard prefix.count <= range.count, starts(with: prefix, at: range.lowerBound) else { return nil }
        return range.dropFirst(prefix.count)
    }

    /// A number of 0.0001 cd/m², as one of cd/m².
    func brightness(at offset: Int) -> Double? { bigEndian32(at: offset).map { Double($0) / 10_000 } }

    /// The bytes of a range, clamped to the data.
    func slice(_ range: Range<Int>) -> Data {
        let kept = range.clamped(to: 0..<data.count)
        return data[data.startIndex + kept.lowerBound..<data.startIndex + kept.upperBound]
    }
}

extension Int {
    /// The lowest bytes of the number, the highest of them first.
    func bigEndianBytes(_ count: Int = 4) -> [UInt8] { littleEndianBytes(count).reversed() }

    /// The lowest bytes of the number, the lowest first.
    func littleEndianBytes(_ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
