import Foundation

/// A GIF of one frame, written by hand: its pixels are indices, coded without compression unless asked for.
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
    /// The minimum size of a code in bits, from 2 on.
    var codeSize = 8
    /// True if strings of pixels have codes; the table is never cleared, also when it is full.
    var isCompressed = false
    var hasEndCode = true
    /// Codes behind the last pixel.
    var surplus: [Int] = []
    /// An empty block and the trailer.
    var ending: [UInt8] = [0, 0x3B]

    static let fourColors: [[UInt8]] = [[255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 20, 30]]

    var data: Data {
        var file = Array("GIF89a".utf8) + little16(screenWidth) + little16(screenHeight)
        file += [globalPalette == nil ? 0 : 0x81, 0, 0] + (globalPalette ?? []).flatMap { $0 }
        if let transparent { file += [0x21, 0xF9, 4, 1, 0, 0, UInt8(transparent), 0] }
        file += [0x2C] + little16(left) + little16(top) + little16(width) + little16(height)
        file += [(localPalette == nil ? 0 : 0x81) | (isInterlaced ? 0x40 : 0)]
        file += (localPalette ?? []).flatMap { $0 } + [UInt8(codeSize)]
        let coded = packed(isCompressed ? compressed(storedOrder) : plain(storedOrder + surplus))
        for start in stride(from: 0, to: coded.count, by: 255) {
            let block = coded[start..<min(start + 255, coded.count)]
            file += [UInt8(block.count)] + block
        }
        return Data(file + ending)
    }

    private var storedOrder: [Int] {
        guard isInterlaced else { return indices }
        let rows = [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { start, step in
            Array(stride(from: start, to: height, by: step))
        }
        return rows.flatMap { indices[$0 * width..<($0 + 1) * width] }
    }

    private typealias Code = (value: Int, width: Int)

    /// Codes of one pixel, with the table cleared before they would grow.
    private func plain(_ indices: [Int]) -> [Code] {
        let (clear, width, period) = (1 << codeSize, codeSize + 1, min(200, 1 << codeSize - 2))
        var codes: [Code] = []
        for (number, index) in indices.enumerated() {
            if number % period == 0 { codes.append((clear, width)) }
            codes.append((index, width))
        }
        return hasEndCode ? codes + [(clear + 1, width)] : codes
    }

    private func compressed(_ indices: [Int]) -> [Code] {
        let clear = 1 << codeSize
        var (width, free) = (codeSize + 1, clear + 2)
        var codes: [Code] = [(clear, width)]
        var table: [[Int]: Int] = [:]
        var prefix = indices[0]
        func put(_ code: Int) {
            codes.append((code, width))
            guard free < 4096 else { return }
            free += 1
            // A decoder knows each code one code later.
            if free > 1 << width { width += 1 }
        }
        for index in indices.dropFirst() {
            if let known = table[[prefix, index]] {
                prefix = known
            } else {
                if free < 4096 { table[[prefix, index]] = free }
                put(prefix)
                prefix = index
            }
        }
        put(prefix)
        return codes + [(clear + 1, width)]
    }

    private func packed(_ codes: [Code]) -> [UInt8] {
        var (bits, count) = (0, 0)
        var bytes: [UInt8] = []
        for code in codes {
            bits |= code.value << count
            count += code.width
            while count >= 8 {
                bytes.append(UInt8(bits & 255))
                bits >>= 8
                count -= 8
            }
        }
        return count > 0 ? bytes + [UInt8(bits & 255)] : bytes
    }
}

/// A number as two bytes, the lower first.
func little16(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8 & 255)] }

/// A number as four bytes, the lowest first.
func little32(_ value: Int) -> [UInt8] { little16(value) + little16(value >> 16) }
