import Foundation
import Imaging
import Testing

/// PNGs with faults that no pixel depends on, and controls beside them, that must be refused.
@Suite struct FaultyPNGTests {
    /// Two pixels of one row.
    private func file(
        _ colorType: Int = 2,
        depth: Int = 8,
        _ extra: [(String, [UInt8])] = [],
        isInterlaced: Bool = false
    ) -> CraftedPNG {
        let raws: [Int: [UInt8]] = [
            0: [7, 9], 2: [1, 2, 3, 4, 5, 6], 3: [0, 1], 4: [7, 255, 9, 128], 6: [1, 2, 3, 4, 5, 6, 7, 8],
        ]
        let row = (raws[colorType] ?? []).flatMap { depth == 16 ? [$0, $0] : [$0] }
        // The first pass has the first pixel, the sixth the second.
        let passes = [row.prefix(row.count / 2), row.suffix(row.count / 2)].flatMap { [0] + $0 }
        return CraftedPNG(
            width: 2,
            height: 1,
            depth: depth,
            colorType: colorType,
            isInterlaced: isInterlaced,
            extra: extra,
            raw: isInterlaced ? passes : [0] + row
        )
    }

    private static let palette: (String, [UInt8]) = ("PLTE", [255, 0, 0, 0, 255, 0])

    /// The file with a wrong checksum of its first chunk of a type.
    private func corrupted(_ data: Data, _ type: String) throws -> Data {
        var data = data
        let place = try #require(data.firstRange(of: Data(type.utf8))).lowerBound
        let length = data[(place - 4)..<place].reduce(0) { $0 << 8 | Int($1) }
        data[place + 4 + length] ^= 1
        return data
    }

    @Test(
        "a chunk beside the pixels with a wrong checksum is ignored",
        arguments: [
            "tEXt", "zTXt", "iTXt", "eXIf", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "tRNS", "bKGD", "pHYs",
            "tIME", "sPLT", "acTL", "mDCV", "cLLI", "abCd",
        ],
        [false, true]
    )
    func ignoresChecksums(_ type: String, _ isInterlaced: Bool) throws {
        let contents: [String: [UInt8]] = [
            "eXIf": exif(6), "gAMA": bytes32(100_000), "tRNS": [0, 1, 0, 2, 0, 3], "cICP": [9, 16, 0, 1],
        ]
        let plain = file(2, [], isInterlaced: isInterlaced).data
        let made = file(2, [(type, contents[type] ?? [1, 2, 3])], isInterlaced: isInterlaced).data
        let faulty = try corrupted(made, type)
        let image = try ImageDecoder.decode(faulty)
        #expect(image.warnings == [.partChecksum])
        #expect(try image.rgba() == ImageDecoder.decode(plain).rgba())
        #expect(try ImageHeader.read(faulty).orientation == .up && ImageHeader.read(faulty).hasAlpha == false)
    }

    @Test("a critical chunk with a wrong checksum is damage", arguments: ["IHDR", "PLTE", "IDAT", "IEND"])
    func refusesChecksums(_ type: String) throws {
        let faulty = try corrupted(file(3, [Self.palette]).data, type)
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(faulty) }
        #expect(error?.reason == .corrupt)
    }

    @Test("a wrong checksum of the pixels is damage", arguments: [false, true])
    func refusesAdler(_ isInterlaced: Bool) throws {
        var data = file(2, [], isInterlaced: isInterlaced).data
        let end = try #require(data.firstRange(of: Data("IEND".utf8))).lowerBound - 4
        data[end - 5] ^= 1
        let start = try #require(data.firstRange(of: Data("IDAT".utf8))).lowerBound
        data.replaceSubrange(end - 4..<end, with: CraftedPNG.checksum([UInt8](data[start..<end - 4])))
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
        #expect(error?.reason == .corrupt)
    }

    @Test(
        "a file may end without IEND, but not within a chunk, nor before its pixels",
        arguments: [false, true]
    )
    func needsNoEnd(_ isInterlaced: Bool) throws {
        let whole = file(2, [], isInterlaced: isInterlaced).data
        #expect(try ImageDecoder.decode(whole).warnings.isEmpty)
        let image = try ImageDecoder.decode(whole.dropLast(12))
        #expect(image.warnings == [.missingEnd])
        #expect(try image.rgba() == ImageDecoder.decode(whole).rgba())
        #expect(try ImageDecoder.decode(whole + [1, 2]).warnings == [.trailingData])
        for missing in Array(1..<12) + [13, 16, 20] {
            let error = #expect(throws: ImagingError.self) {
                try ImageDecoder.decode(Data(whole.dropLast(missing)))
            }
            #expect(error?.reason == .truncated, "\(missing)")
        }
    }

    @Test("without IEND and with too few rows, the file is cut short", arguments: [false, true])
    func needsItsRows(_ isInterlaced: Bool) throws {
        var made = file(2, [], isInterlaced: isInterlaced)
        made.height = 3
        let error = #expect(throws: ImagingError.self) {
            try ImageDecoder.decode(Data(made.data.dropLast(12)))
        }
        #expect(error != nil && [.truncated, .corrupt].contains(error?.reason))
    }

    /// Chunks around a tRNS that does not count.
    static let ignored: [(colorType: Int, chunks: [(String, [UInt8])], warning: ImageWarning)] = [
        (0, [("tRNS", [0])], .transparency), (0, [("tRNS", [0, 7, 0])], .transparency),
        (2, [("tRNS", [0, 1])], .transparency), (2, [("tRNS", [])], .transparency),
        (3, [palette, ("tRNS", [0, 0, 0])], .transparency), (3, [palette, ("tRNS", [])], .transparency),
        (3, [("tRNS", [0]), palette], .partPlace), (4, [("tRNS", [0, 7])], .transparency),
        (6, [("tRNS", [0, 1, 0, 2, 0, 3])], .transparency),
        (2, [("tRNS", [0, 1, 0, 2, 0, 3]), palette], .transparency),
    ]

    @Test("transparency that libpng ignores is none in the header either", arguments: ignored.indices)
    func ignoresTransparency(_ index: Int) throws {
        let (colorType, chunks, warning) = Self.ignored[index]
        for isInterlaced in [false, true] {
            let data = file(colorType, chunks, isInterlaced: isInterlaced).data
            let plain = file(colorType, chunks.filter { $0.0 == "PLTE" }, isInterlaced: isInterlaced).data
            #expect(try ImageHeader.read(data).hasAlpha == (colorType & 4 != 0))
            let image = try ImageDecoder.decode(data)
            #expect(image.warnings.contains(warning))
            #expect(try image.rgba() == ImageDecoder.decode(plain).rgba())
        }
    }

    @Test("transparency that counts, once", arguments: [0, 2, 3])
    func obeysTransparency(_ colorType: Int) throws {
        let contents: [Int: [UInt8]] = [0: [0, 7], 2: [0, 1, 0, 2, 0, 3], 3: [0]]
        let chunk = ("tRNS", contents[colorType] ?? [])
        let before = colorType == 3 ? [Self.palette] : []
        let image = try ImageDecoder.decode(file(colorType, before + [chunk]).data)
        #expect(image.warnings.isEmpty && image.hasAlpha)
        #expect(try [UInt8](image.rgba())[3] == 0 && [UInt8](image.rgba())[7] == 255)
        let other = ("tRNS", colorType == 3 ? [128, 128] : [UInt8](repeating: 0, count: chunk.1.count))
        let twice = try ImageDecoder.decode(file(colorType, before + [chunk, other]).data)
        #expect(try twice.warnings == [.partPlace] && twice.rgba() == image.rgba())
        // Behind the pixels.
        let plain = file(colorType, before).data
        let late = plain.dropLast(12) + CraftedPNG.chunk(chunk.0, chunk.1) + plain.suffix(12)
        #expect(try ImageDecoder.decode(Data(late)).warnings == [.partPlace])
        #expect(try !ImageHeader.read(Data(late)).hasAlpha)
    }

    @Test("more compressed data than pixels are passed over, pixels after another chunk are not")
    func passesOverExtraData() throws {
        var made = file()
        made.raw += [0, 9, 9, 9, 9, 9, 9]
        #expect(try ImageDecoder.decode(made.data).warnings == [.extraPixels])
        let whole = file().data
        let stream = CraftedPNG.stored(file().raw)
        let start = try #require(whole.firstRange(of: Data("IDAT".utf8))).lowerBound - 4
        var split = [UInt8](whole[..<start]) + CraftedPNG.chunk("IDAT", Array(stream.prefix(4)))
        split += CraftedPNG.chunk("tEXt", [65, 0, 66]) + CraftedPNG.chunk("IDAT", Array(stream.dropFirst(4)))
        split += CraftedPNG.chunk("IEND", [])
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(Data(split)) }
        #expect(error?.reason == .corrupt)
    }

    /// Bits as DEFLATE packs them, the lowest first.
    private struct Bits {
        var bytes: [UInt8] = []
        private var count = 0

        mutating func add(_ value: Int, _ bits: Int) {
            for bit in 0..<bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= UInt8(value >> bit & 1) << (count % 8)
                count += 1
            }
        }

        /// An empty block with the codes of the format.
        mutating func addFixed() { add(2, 10) }

        /// An empty block with a code of its own, which has no symbol but the end.
        mutating func addOwn() {
            add(4, 3)
            add(0, 5)
            add(0, 5)
            add(14, 4)
            // The lengths of the codes for 16, 17, 18, 0, 8, 7 … 2, 14, 1: of 18, 0 and 1.
            for length in [0, 0, 1, 2] + [Int](repeating: 0, count: 13) + [2] { add(length, 3) }
            // 138 and 118 zeros, a one for the end, a zero for the distances, and the end.
            for zeros in [138, 118] {
                add(0, 1)
                add(zeros - 11, 7)
            }
            add(3, 2)
            add(1, 2)
            add(0, 1)
        }
    }

    @Test("empty blocks are no damage, however many", arguments: [1, 3, 1000, 100_000], [false, true])
    func passesOverEmptyBlocks(_ count: Int, _ areOwn: Bool) throws {
        let made = file()
        let plain = [UInt8](made.data)
        let stream = CraftedPNG.stored(made.raw)
        var bits = Bits()
        for number in 0..<count {
            if areOwn && number % 2 == 1 { bits.addOwn() } else { bits.addFixed() }
        }
        // An empty stored block brings the rest back to whole bytes.
        bits.add(0, 3)
        let packed = Array(stream.prefix(2)) + bits.bytes + [0, 0, 255, 255] + stream.dropFirst(2)
        let start = try #require(made.data.firstRange(of: Data("IDAT".utf8))).lowerBound - 4
        let data = Data(plain[..<start] + CraftedPNG.chunk("IDAT", packed) + CraftedPNG.chunk("IEND", []))
        let image = try ImageDecoder.decode(data)
        #expect(try image.warnings.isEmpty && image.rgba() == ImageDecoder.decode(made.data).rgba())
    }
}
