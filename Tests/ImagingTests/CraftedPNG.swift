import Foundation
import Imaging

/// A PNG written by hand, for what the encoder does not write: palettes, 16 bits, interlacing, lying headers.
struct CraftedPNG {
    var width: Int
    var height: Int
    var depth = 8
    var colorType = 2
    var isInterlaced = false
    /// Chunks between IHDR and IDAT.
    var extra: [(String, [UInt8])] = []
    /// Filter bytes and packed samples, as before deflating.
    var raw: [UInt8] = []

    var data: Data {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let flags = [UInt8(depth), UInt8(colorType), 0, 0, isInterlaced ? 1 : 0]
        file += Self.chunk("IHDR", bytes32(width) + bytes32(height) + flags)
        for (type, content) in extra { file += Self.chunk(type, content) }
        file += Self.chunk("IDAT", Self.stored(raw)) + Self.chunk("IEND", [])
        return Data(file)
    }

    static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + content
        return bytes32(content.count) + body + bytes32(Int(crc32(body)))
    }

    /// A zlib stream of stored blocks (RFC 1950, RFC 1951).
    static func stored(_ raw: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var start = 0
        repeat {
            let end = min(start + 65_535, raw.count)
            let count = end - start
            stream.append(end == raw.count ? 1 : 0)
            stream += [UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8 & 255)]
            stream += raw[start..<end]
            start = end
        } while start < raw.count
        var a = 1
        var b = 0
        for byte in raw {
            a = (a + Int(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return stream + bytes32(b << 16 | a)
    }

    /// The CRC-32 that PNG, zlib and xz use, the highest byte first.
    static func checksum(_ bytes: [UInt8]) -> [UInt8] { bytes32(Int(crc32(bytes))) }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        var crc: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}

/// A number as four bytes, the highest first.
func bytes32(_ value: Int) -> [UInt8] {
    [UInt8(value >> 24 & 255), UInt8(value >> 16 & 255), UInt8(value >> 8 & 255), UInt8(value & 255)]
}

/// EXIF data that holds an orientation only.
func exif(_ orientation: Int, littleEndian: Bool = false) -> [UInt8] {
    littleEndian
        ? [
            0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(orientation), 0, 0, 0, 0,
            0, 0, 0,
        ]
        : [
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0, 0,
            0, 0, 0,
        ]
}

/// A JPEG with one more segment behind its start.
func inserting(marker: UInt8, _ content: [UInt8], into jpeg: Data) -> Data {
    let length = content.count + 2
    return jpeg.prefix(2) + Data([0xFF, marker, UInt8(length >> 8), UInt8(length & 255)] + content)
        + jpeg.dropFirst(2)
}

/// A matrix profile (ICC.1:2001) of three primaries in D50 XYZ and one gamma.
func matrixProfile(red: [Double], green: [Double], blue: [Double], gamma: Double) -> [UInt8] {
    func xyz(_ values: [Double]) -> [UInt8] {
        Array("XYZ ".utf8) + bytes32(0) + values.flatMap { bytes32(Int(($0 * 65_536).rounded())) }
    }
    let fixed = Int((gamma * 256).rounded())
    let curve = Array("curv".utf8) + bytes32(0) + bytes32(1) + [UInt8(fixed >> 8), UInt8(fixed & 255), 0, 0]
    let tags: [(String, [UInt8])] = [
        ("rXYZ", xyz(red)), ("gXYZ", xyz(green)), ("bXYZ", xyz(blue)), ("wtpt", xyz([0.9642, 1, 0.8249])),
        ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var table = bytes32(tags.count)
    var content: [UInt8] = []
    for (name, value) in tags {
        table += Array(name.utf8) + bytes32(128 + 4 + tags.count * 12 + content.count) + bytes32(value.count)
        content += value
    }
    var header = bytes32(128 + table.count + content.count) + bytes32(0) + [2, 0x10, 0, 0]
    header += Array("mntrRGB XYZ ".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 28) + [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D]
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + content
}
