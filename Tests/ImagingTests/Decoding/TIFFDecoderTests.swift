#if TIFF
import Foundation
import Imaging
import Testing

@Suite struct TIFFDecoderTests {
    private func pixels(_ file: CraftedTIFF) throws -> [[Int]] {
        let rgba = [UInt8](try ImageDecoder.decode(file.data).rgba())
        return stride(from: 0, to: rgba.count, by: 4).map { rgba[$0..<$0 + 4].map(Int.init) }
    }

    private func grays(_ file: CraftedTIFF) throws -> [Int] { try pixels(file).map { $0[0] } }

    private func isRefused(_ file: CraftedTIFF) {
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file.data) }
        #expect(error?.reason == .unsupported, "\(error?.message ?? "")")
    }

    @Test(arguments: [1, 2, 4, 8], [0, 1])
    func readsGray(_ bits: Int, _ photometric: Int) throws {
        let most = (1 << bits) - 1
        let high = UInt8(most << (8 - bits))
        let rows: [UInt8] = bits == 8 ? [0, 255, 51, 51, 0, 255] : [high >> bits, high]
        let file = CraftedTIFF(bits == 8 ? 3 : 2, 2, bits: bits, photometric: photometric, pixels: rows)
        let expected = bits == 8 ? [0, 255, 51, 51, 0, 255] : [0, 255, 255, 0]
        #expect(try grays(file) == expected.map { photometric == 0 ? 255 - $0 : $0 })
        #expect(try ImageHeader.read(file.data).colorModel == .gray)
    }

    @Test(arguments: [false, true], [false, true])
    func readsEitherByteOrderAndBigTIFF(_ isBigEndian: Bool, _ isBigTIFF: Bool) throws {
        let values = [0x0000, 0x00FF, 0x7FFF, 0x8080, 0xFFFF, 0x0101]
        var file = CraftedTIFF(3, 2, bits: 16, photometric: 1, pixels: [])
        file.isBigEndian = isBigEndian
        file.isBigTIFF = isBigTIFF
        file.strips = [values.flatMap { file.number($0, 2) }]
        #expect(ImageFormat(file.data) == .tiff)
        #expect(try ImageHeader.read(file.data).bitDepth == 16)
        #expect(try grays(file) == values.map { Int((Double($0) / 257).rounded()) })
        let image = try ImageDecoder.decode(file.data, bitDepth: 16)
        #expect(image.bitDepth == 16)
        let row = image.planes[0].withUnsafeBytes { $0.bindMemory(to: UInt16.self).prefix(3).map(Int.init) }
        #expect(row == Array(values.prefix(3)))
    }

    @Test func readsTwelveBits() throws {
        let file = CraftedTIFF(2, 1, bits: 12, photometric: 1, pixels: [0xFF, 0xF8, 0x00])
        #expect(try grays(file) == [255, 128])
    }

    @Test func readsPalettes() throws {
        for scale in [1, 257] {
            var file = CraftedTIFF(4, 1, bits: 2, photometric: 3, pixels: [0b0001_1011])
            file.tags[320] = [255, 0, 0, 10, 0, 255, 0, 20, 0, 0, 255, 30].map { $0 * scale }
            let expected = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [10, 20, 30, 255]]
            #expect(try pixels(file) == expected)
        }
    }

    /// RGB with premultiplied alpha, with straight alpha, and with a fourth sample of no meaning.
    @Test func readsAlpha() throws {
        for (kind, expected) in [(0, [50, 100, 0, 255]), (1, [100, 199, 0, 128]), (2, [50, 100, 0, 128])] {
            var file = CraftedTIFF(1, 1, samples: 4, photometric: 2, pixels: [50, 100, 0, 128])
            file.tags[338] = [kind]
            #expect(try ImageHeader.read(file.data).hasAlpha == (kind != 0))
            #expect(try pixels(file) == [expected])
        }
        var gray = CraftedTIFF(1, 1, samples: 2, photometric: 1, pixels: [50, 128])
        gray.tags[338] = [2]
        #expect(try ImageDecoder.decode(gray.data).colorModel == .gray)
        #expect(try pixels(gray) == [[50, 50, 50, 128]])
    }

    @Test(arguments: [8, 16])
    func readsCMYK(_ bits: Int) throws {
        let inks = [0, 255, 255, 0, 255, 255, 0, 51]
        let bytes = inks.flatMap { [UInt8](repeating: UInt8($0), count: bits / 8) }
        let file = CraftedTIFF(2, 1, bits: bits, samples: 4, photometric: 5, pixels: bytes)
        #expect(try ImageHeader.read(file.data).colorModel == .cmyk)
        #expect(try pixels(file) == [[255, 0, 0, 255], [0, 0, 204, 255]])
        #expect(try ImageDecoder.decode(file.data, bitDepth: 16).bitDepth == 8)
    }

    @Test(arguments: [(5, CraftedTIFF.lzw), (8, CraftedPNG.stored), (32_773, CraftedTIFF.packBits)])
    func readsCompressions(_ method: Int, _ code: @escaping @Sendable ([UInt8]) -> [UInt8]) throws {
        let samples = (0..<40 * 30 * 3).map { UInt8($0 * 7 % 251) }
        var plain = CraftedTIFF(40, 30, samples: 3, photometric: 2, pixels: samples)
        plain.tags[278] = [8]
        plain.strips = stride(from: 0, to: 30, by: 8).map { y in
            Array(samples[y * 120..<min(30, y + 8) * 120])
        }
        let expected = try pixels(plain)
        #expect(expected[41].prefix(3) == [samples[123], samples[124], samples[125]].map(Int.init)[...])
        #expect(try pixels(plain.compressed(method, code)) == expected)
    }

    /// Strips and tiles, interleaved and planar, give the same image.
    @Test func readsEveryLayout() throws {
        func value(x: Int, y: Int, channel c: Int) -> UInt8 { UInt8((x * 11 + y * 17 + c * 70) % 256) }
        func samples(columns xs: Range<Int>, rows ys: Range<Int>, channels cs: Range<Int>) -> [UInt8] {
            ys.flatMap { y in
                xs.flatMap { x in cs.map { x < 37 && y < 21 ? value(x: x, y: y, channel: $0) : 9 } }
            }
        }
        let whole = CraftedTIFF(
            37,
            21,
            samples: 3,
            photometric: 2,
            pixels: samples(columns: 0..<37, rows: 0..<21, channels: 0..<3)
        )
        let expected = try pixels(whole)
        for isSeparate in [false, true] {
            let parts = isSeparate ? [0..<1, 1..<2, 2..<3] : [0..<3]
            var strips = whole
            strips.tags[284] = [isSeparate ? 2 : 1]
            var tiles = strips
            strips.tags[278] = [8]
            strips.strips = parts.flatMap { part in
                stride(from: 0, to: 21, by: 8).map {
                    samples(columns: 0..<37, rows: $0..<min(21, $0 + 8), channels: part)
                }
            }
            tiles.tags[278] = nil
            tiles.tags[322] = [16]
            tiles.tags[323] = [16]
            tiles.strips = parts.flatMap { part in
                [0, 16].flatMap { y in
                    [0, 16, 32].map { samples(columns: $0..<$0 + 16, rows: y..<y + 16, channels: part) }
                }
            }
            #expect(try pixels(strips) == expected)
            #expect(try pixels(tiles) == expected)
            for file in [strips, tiles] {
                let covering = PixelSize(width: 9, height: 5)
                let small = try ImageDecoder.decode(file.data, covering: covering)
                #expect(small.size == PixelSize(width: 19, height: 11))
                #expect(try small.rgba() == ImageDecoder.decode(whole.data, covering: covering).rgba())
            }
        }
    }

    @Test func readsYCbCr() throws {
        // Two by two luma samples share a pair of chroma samples.
        var file = CraftedTIFF(2, 2, samples: 3, photometric: 6, pixels: [76, 76, 150, 29, 85, 255])
        file.tags[530] = [2, 2]
        let found = try pixels(file)
        #expect(zip(found[0], [254, 0, 0, 255]).allSatisfy { abs($0 - $1) <= 1 })
        #expect(found[2][0] > found[3][0])

        let photograph = try Crop(width: 64, height: 48).apply(to: try Photographs.image("chelsea.png"))
        let jpeg = try ImageEncoder.encode(photograph, as: .jpeg(JPEGOptions(quality: 95)))
        var compressed = CraftedTIFF(64, 48, samples: 3, photometric: 6, pixels: Array(jpeg))
        compressed.tags[259] = [7]
        compressed.tags[530] = [2, 2]
        #expect(try psnr(ImageDecoder.decode(compressed.data), photograph) > 32)
    }

    @Test func readsFacsimiles() throws {
        // ITU-T T.6: two rows of eight pixels, each equal to the row above. V0 is the bit 1, the end has 24 bits.
        let code: [UInt8] = [0b1100_0000, 0b0000_0100, 0b0000_0000, 0b0100_0000]
        let file = CraftedTIFF(8, 2, bits: 1, photometric: 0, pixels: code).compressed(4) { $0 }
        #expect(try grays(file) == Array(repeating: 255, count: 16))
    }

    @Test(arguments: Orientation.allCases)
    func turnsUpright(_ orientation: Orientation) throws {
        var file = CraftedTIFF(3, 2, photometric: 1, pixels: [0, 1, 2, 3, 4, 5])
        file.tags[274] = [orientation.rawValue]
        #expect(try ImageHeader.read(file.data).orientation == orientation)
        var png = CraftedPNG(width: 3, height: 2, colorType: 0, raw: [0, 0, 1, 2, 0, 3, 4, 5])
        png.extra = [("eXIf", exif(orientation.rawValue))]
        #expect(try ImageDecoder.decode(file.data).rgba() == ImageDecoder.decode(png.data).rgba())
    }

    @Test func usesItsProfile() throws {
        var file = CraftedTIFF(1, 1, samples: 3, photometric: 2, pixels: [128, 128, 128])
        file.profile = matrixProfile(
            red: [0.4361, 0.2225, 0.0139],
            green: [0.3851, 0.7169, 0.0971],
            blue: [0.1431, 0.0606, 0.7141],
            gamma: 1
        )
        #expect(try abs(grays(file)[0] - 188) <= 1)
    }

    @Test func refusesWhatItDoesNotRead() throws {
        var float = CraftedTIFF(1, 1, bits: 32, photometric: 1, pixels: [0, 0, 0, 0])
        float.tags[339] = [3]
        isRefused(float)
        isRefused(CraftedTIFF(1, 1, photometric: 4711, pixels: [0]))
        isRefused(CraftedTIFF(1, 1, photometric: 1, pixels: [0]).compressed(34_712) { $0 })
    }

    @Test func aDirectoryThatLiesIsHarmless() throws {
        let file = CraftedTIFF(4, 4, photometric: 1, pixels: [UInt8](repeating: 7, count: 16))
        var short = file.compressed(5, CraftedTIFF.lzw)
        short.strips = [Array(short.strips[0].prefix(9))]
        var wide = file
        wide.tags[256] = [0x7FFF_FFFF]
        var tile = file
        tile.tags[322] = [0x4000_0000]
        tile.tags[323] = [0x4000]
        var samples = file
        samples.tags[277] = [65_535]
        for lying in [short, wide, tile, samples] {
            #expect(throws: ImagingError.self) { try ImageDecoder.decode(lying.data) }
        }
        // A second directory that leads back to the first is never followed.
        var loop = file.data
        loop.replaceSubrange(loop.count - 4..<loop.count, with: loop[4..<8])
        #expect(try ImageDecoder.decode(loop).size == PixelSize(width: 4, height: 4))
    }
}
#endif
