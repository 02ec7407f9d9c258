public import Foundation

/// EXIF data assembled tag by tag (CIPA DC-008), valid or not.
public struct EXIFData: Sendable {
    /// A tag's value, in the type that the data says it is.
    public enum Value: Sendable {
        case byte(UInt8)
        case ascii(String)
        case short(Int)
        case long(Int)
        case rationals([(Int, Int)])
        /// The number of a type, a count and bytes, which need not fit together.
        case raw(type: Int, count: Int, [UInt8])
    }

    /// Tags of the first directory.
    public var main: [Int: Value] = [:]
    /// Tags of the EXIF directory.
    public var details: [Int: Value] = [:]
    /// Tags of the GPS directory.
    public var gps: [Int: Value] = [:]
    /// True if numbers are little-endian.
    public var isLittle = false

    /// Data with three empty directories.
    public init() {}

    /// The data of a camera that writes everything, including an orientation and a location.
    public static var photograph: EXIFData {
        var exif = EXIFData()
        exif.main = [0x010F: .ascii("Canon"), 0x0110: .ascii("Canon EOS R5"), 0x0112: .short(6)]
        exif.details = [
            0x829A: .rationals([(1, 250)]), 0x829D: .rationals([(28, 10)]), 0x8827: .short(400),
            0x9003: .ascii("2024:05:06 07:08:09"), 0x9011: .ascii("+02:00"), 0x920A: .rationals([(85, 1)]),
            0xA434: .ascii("RF85mm F1.2 L USM"),
        ]
        exif.gps = [
            1: .ascii("S"), 2: .rationals([(33, 1), (51, 1), (2484, 100)]), 3: .ascii("E"),
            4: .rationals([(151, 1), (12, 1), (5616, 100)]), 5: .byte(1), 6: .rationals([(125, 10)]),
        ]
        return exif
    }

    /// The data, from its byte order on.
    public var data: Data {
        let head = isLittle ? [0x49, 0x49] + short(42) : [0x4D, 0x4D] + short(42)
        let start = 8 + size(of: main) + 24
        let bytes =
            head + long(8)
            + directory(
                main.merging([0x8769: .long(start), 0x8825: .long(start + size(of: details))]) { $1 },
                at: 8
            )
            + directory(details, at: start) + directory(gps, at: start + size(of: details))
        return Data(bytes)
    }

    /// A JPEG with EXIF data in it.
    public static func embed(_ exif: Data, in jpeg: Data) -> Data {
        let content = Data("Exif\0\0".utf8) + exif
        let length = content.count + 2
        return jpeg.prefix(2) + Data([0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 255)]) + content
            + jpeg.dropFirst(2)
    }

    private func directory(_ tags: [Int: Value], at offset: Int) -> [UInt8] {
        var entries = short(tags.count)
        var values: [UInt8] = []
        let start = offset + 2 + 12 * tags.count + 4
        for (tag, value) in tags.sorted(by: { $0.key < $1.key }) {
            let (type, count, bytes) = parts(of: value)
            entries += short(tag) + short(type) + long(count)
            if bytes.count <= 4 {
                entries += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
            } else {
                entries += long(start + values.count)
                values += bytes
            }
        }
        return entries + long(0) + values
    }

    private func size(of tags: [Int: Value]) -> Int {
        tags.values.reduce(6) { sum, value in
            let count = parts(of: value).bytes.count
            return sum + 12 + (count > 4 ? count : 0)
        }
    }

    private func parts(of value: Value) -> (type: Int, count: Int, bytes: [UInt8]) {
        switch value {
        case .byte(let byte): (1, 1, [byte])
        case .ascii(let text): (2, text.utf8.count + 1, Array(text.utf8) + [0])
        case .short(let number): (3, 1, short(number))
        case .long(let number): (4, 1, long(number))
        case .rationals(let numbers): (5, numbers.count, numbers.flatMap { long($0.0) + long($0.1) })
        case .raw(let type, let count, let bytes): (type, count, bytes)
        }
    }

    private func short(_ value: Int) -> [UInt8] { ordered(value, 2) }
    private func long(_ value: Int) -> [UInt8] { ordered(value, 4) }

    private func ordered(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return isLittle ? bytes : bytes.reversed()
    }
}
