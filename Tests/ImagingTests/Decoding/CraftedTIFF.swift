import Foundation

/// A TIFF written by hand (TIFF 6.0; BigTIFF where asked): strips or tiles first, then long values and the directory, or last.
struct CraftedTIFF {
    var isBigEndian = false
    var isBigTIFF = false
    /// True if the strips come last.
    var isDirectoryFirst = false
    /// The numbers of each tag.
    var tags: [Int: [Int]]
    /// Coded strips, or tiles if the tags have a tile size.
    var strips: [[UInt8]]
    var profile: [UInt8] = []
    /// Values of other types: the type, how many there are, and their bytes.
    var values: [Int: (type: Int, count: Int, bytes: [UInt8])] = [:]

    /// An image without compression, of one strip.
    init(_ width: Int, _ height: Int, bits: Int = 8, samples: Int = 1, photometric: Int, pixels: [UInt8]) {
        tags = [
            256: [width], 257: [height], 258: Array(repeating: bits, count: samples), 259: [1],
            262: [photometric], 277: [samples], 278: [height],
        ]
        strips = [pixels]
    }

    /// The image compressed with a method: its number and its coding of a strip.
    func compressed(_ method: Int, _ code: ([UInt8]) -> [UInt8]) -> CraftedTIFF {
        var file = self
        file.tags[259] = [method]
        file.strips = strips.map(code)
        return file
    }

    var data: Data {
        let word = isBigTIFF ? 8 : 4
        var file: [UInt8] = isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        file += isBigTIFF ? number(43, 2) + number(8, 2) + number(0, 2) : number(42, 2)
        let start = file.count + word
        var pixels: [UInt8] = []
        for strip in strips { pixels += strip + [UInt8](repeating: 0, count: strip.count & 1) }
        // The size of long values and the directory does not depend on their position.
        let stripStart = isDirectoryFirst ? start + directory(at: 0, stripStart: 0).bytes.count : start
        let directory = directory(
            at: isDirectoryFirst ? start : start + pixels.count,
            stripStart: stripStart
        )
        file += number(directory.start, word)
        file += isDirectoryFirst ? directory.bytes + pixels : pixels + directory.bytes
        return Data(file)
    }

    private func directory(at position: Int, stripStart: Int) -> (bytes: [UInt8], start: Int) {
        let word = isBigTIFF ? 8 : 4
        var all = tags
        var offset = stripStart
        var offsets: [Int] = []
        for strip in strips {
            offsets.append(offset)
            offset += strip.count + strip.count & 1
        }
        all[tags[322] == nil ? 273 : 324] = offsets
        all[tags[322] == nil ? 279 : 325] = strips.map(\.count)
        if !profile.isEmpty { all[34_675] = profile.map(Int.init) }
        var coded = values
        for (tag, content) in all {
            let (type, size) = tag == 34_675 ? (7, 1) : Self.longs.contains(tag) ? (4, 4) : (3, 2)
            coded[tag] = (type, content.count, content.flatMap { number($0, size) })
        }
        var outside: [UInt8] = []
        var entries: [UInt8] = []
        for (tag, value) in coded.sorted(by: { $0.key < $1.key }) {
            var bytes = value.bytes
            if bytes.count > word {
                let start = position + outside.count
                outside += bytes + [UInt8](repeating: 0, count: bytes.count & 1)
                bytes = number(start, word)
            }
            bytes += [UInt8](repeating: 0, count: word - bytes.count)
            entries += number(tag, 2) + number(value.type, 2) + number(value.count, word) + bytes
        }
        let count = number(coded.count, isBigTIFF ? 8 : 2)
        return (outside + count + entries + number(0, word), position + outside.count)
    }

    func number(_ value: Int, _ count: Int) -> [UInt8] {
        let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
        return isBigEndian ? bytes.reversed() : bytes
    }

    private static let longs: Set = [256, 257, 273, 278, 279, 322, 323, 324, 325]

    /// Literal runs (TIFF 6.0, chapter 9).
    static func packBits(_ bytes: [UInt8]) -> [UInt8] {
        stride(from: 0, to: bytes.count, by: 128).flatMap { start in
            let run = bytes[start..<min(start + 128, bytes.count)]
            return [UInt8(run.count - 1)] + run
        }
    }

    /// LZW codes of nine bits (TIFF 6.0, chapter 13), with the table cleared before they would grow.
    static func lzw(_ bytes: [UInt8]) -> [UInt8] {
        var codes: [Int] = []
        for (index, byte) in bytes.enumerated() {
            if index % 200 == 0 { codes.append(256) }
            codes.append(Int(byte))
        }
        codes.append(257)
        let bits = codes.flatMap { code in (0..<9).map { code >> (8 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            let byte = bits[start..<min(start + 8, bits.count)]
            return UInt8(byte.reduce(0) { $0 << 1 | $1 } << (8 - byte.count))
        }
    }
}
