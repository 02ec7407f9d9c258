import Foundation

/// A GIF of one frame, written by hand: its pixels are indices, coded without compression.
struct CraftedGIF {
    var screenWidth: Int
    var screenHeight: Int
    var left = 0
    var top = 0
    var width: Int
    var height: Int
    var globalPalette: [[UInt8]]? = CraftedGIF.fourColors
    var localPalette: [[UInt8]]?
    var transparent: Int?
    var isInterlaced = false
    /// Rows from top to bottom.
    var indices: [Int]

    static let fourColors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]

    var data: Data {
        var file = Array("GIF89a".utf8) + little16(screenWidth) + little16(screenHeight)
        file += [globalPalette == nil ? 0 : 0x81, 0, 0] + (globalPalette ?? []).flatMap { $0 }
        if let transparent { file += [0x21, 0xF9, 4, 1, 0, 0, UInt8(transparent), 0] }
        file += [0x2C] + little16(left) + little16(top) + little16(width) + little16(height)
        file += [(localPalette == nil ? 0 : 0x81) | (isInterlaced ? 0x40 : 0)]
        file += (localPalette ?? []).flatMap { $0 } + [8]
        let coded = Self.codes(storedOrder)
        for start in stride(from: 0, to: coded.count, by: 255) {
            let block = coded[start..<min(start + 255, coded.count)]
            file += [UInt8(block.count)] + block
        }
        return Data(file + [0, 0x3B])
    }

    private var storedOrder: [Int] {
        guard isInterlaced else { return indices }
        let rows = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { start, step in
            Array(stride(from: start, to: height, by: step))
        }
        return rows.flatMap { indices[$0 * width..<($0 + 1) * width] }
    }

    /// Codes of nine bits, with the table cleared before they would grow.
    private static func codes(_ indices: [Int]) -> [UInt8] {
        var bits = 0
        var count = 0
        var bytes: [UInt8] = []
        func put(_ code: Int) {
            bits |= code << count
            count += 9
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        for (number, index) in indices.enumerated() {
            if number % 200 == 0 { put(256) }
            put(index)
        }
        put(257)
        if count > 0 { bytes.append(UInt8(bits & 255)) }
        return bytes
    }
}

/// A number as two bytes, the lower first.
func little16(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

/// A number as four bytes, the lowest first.
func little32(_ value: Int) -> [UInt8] { little16(value) + little16(value >> 16) }
