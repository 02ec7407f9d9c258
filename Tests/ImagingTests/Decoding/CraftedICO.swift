import Foundation

/// An ICO written by hand.
struct CraftedICO {
    /// The pictures: the size and the bits that the directory states, and the bytes.
    var pictures: [(width: Int, height: Int, bits: Int, bytes: Data)] = []

    var data: Data {
        var file = Data([0, 0, 1, 0] + little16(pictures.count))
        var offset = 6 + 16 * pictures.count
        for picture in pictures {
            file += [UInt8(picture.width & 255), UInt8(picture.height & 255), 0, 0, 1, 0]
            file += little16(picture.bits) + little32(picture.bytes.count) + little32(offset)
            offset += picture.bytes.count
        }
        for picture in pictures { file += picture.bytes }
        return file
    }

    /// Returns a BMP as an ICO holds it, with the rows of a mask, from the bottom, of one number a pixel.
    static func bitmap(_ bitmap: CraftedBMP, mask: [[Int]]) -> Data {
        var bytes = bitmap.data.dropFirst(14)
        bytes = Data(bytes)
        bytes.replaceSubrange(8..<12, with: little32(2 * bitmap.height))
        for row in mask {
            var packed = [UInt8](repeating: 0, count: (bitmap.width + 31) / 32 * 4)
            for (x, bit) in row.enumerated() where bit != 0 { packed[x / 8] |= 0x80 >> UInt8(x % 8) }
            bytes += packed
        }
        return bytes
    }
}
