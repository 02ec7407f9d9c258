import Foundation

/// A BMP written by hand: rows as they are stored, without their padding.
struct CraftedBMP {
    var width: Int
    /// Negative if the first row is the top one.
    var height: Int
    var bits: Int
    var compression = 0
    /// 12, 40, 52, 56, 64, 108 or 124.
    var headerSize = 40
    /// Blue, green, red.
    var palette: [[UInt8]] = []
    /// Red, green, blue and alpha.
    var masks: [Int] = []
    /// Without padding.
    ///
    /// A run-length coded image is one row.
    var rows: [[UInt8]] = []
    var profile: [UInt8] = []

    var data: Data {
        var header = little32(headerSize)
        if headerSize == 12 {
            header += little16(width) + little16(height) + little16(1) + little16(bits)
        } else {
            header +=
                little32(width) + little32(height) + little16(1) + little16(bits) + little32(compression)
            header += little32(0) + little32(2835) + little32(2835) + little32(palette.count) + little32(0)
        }
        for mask in masks { header += little32(mask) }
        header += [UInt8](repeating: 0, count: max(0, headerSize - header.count))
        let unused: [UInt8] = headerSize == 12 ? [] : [0]
        let entries: [UInt8] = palette.flatMap { $0 + unused }
        var pixels: [UInt8] = []
        for row in rows {
            pixels += row
            if compression == 0 { while pixels.count % 4 != 0 { pixels.append(0) } }
        }
        let start = 14 + header.count + entries.count
        if !profile.isEmpty {
            header.replaceSubrange(56..<60, with: little32(0x4D42_4544))
            header.replaceSubrange(
                112..<120,
                with: little32(start - 14 + pixels.count) + little32(profile.count)
            )
        }
        var file: [UInt8] = Array("BM".utf8)
        file += little32(start + pixels.count + profile.count) + little32(0) + little32(start)
        file += header
        file += entries
        file += pixels
        return Data(file + profile)
    }
}
