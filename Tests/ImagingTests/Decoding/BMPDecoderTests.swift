import Foundation
import Imaging
import Testing

@Suite struct BMPDecoderTests {
    private static let palette: [[UInt8]] = [[0, 0, 255], [0, 255, 0], [255, 0, 0], [30, 20, 10]]
    private let colors = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [10, 20, 30, 255]]

    private func pixels(_ file: CraftedBMP) throws -> [[Int]] {
        let rgba = [UInt8](try ImageDecoder.decode(file.data).rgba())
        return stride(from: 0, to: rgba.count, by: 4).map { rgba[$0..<$0 + 4].map(Int.init) }
    }

    @Test(arguments: [1, 2, 4, 8], [12, 40, 64, 108, 124])
    func readsPalettes(_ bits: Int, _ headerSize: Int) throws {
        let indices = [[0, 1, 1, 0, 1], bits == 1 ? [1, 1, 0, 0, 1] : [2, 3, 1, 0, 2]]
        let rows = indices.map { row in
            let text = row.map { index in
                let digits = String(index, radix: 2)
                return String(repeating: "0", count: bits - digits.count) + digits
            }.joined()
            return stride(from: 0, to: text.count, by: 8).map { start in
                let byte = text.dropFirst(start).prefix(8)
                return UInt8(byte + String(repeating: "0", count: 8 - byte.count), radix: 2) ?? 0
            }
        }
        let palette = Array(Self.palette.prefix(1 << bits))
        // The lowest row comes first.
        let file = CraftedBMP(
            width: 5,
            height: 2,
            bits: bits,
            headerSize: headerSize,
            palette: headerSize == 12
                ? palette + Array(repeating: [0, 0, 0], count: (1 << bits) - palette.count) : palette,
            rows: rows.reversed()
        )
        #expect(try ImageHeader.read(file.data).format == .bmp)
        #expect(try pixels(file) == indices.joined().map { colors[$0] })
    }

    @Test(arguments: [1, -1])
    func readsTrueColorEitherWayUp(_ direction: Int) throws {
        let rows: [[UInt8]] = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [11, 12, 13, 14, 15, 16, 17, 18, 19]]
        let file = CraftedBMP(
            width: 3,
            height: 2 * direction,
            bits: 24,
            rows: direction < 0 ? rows : rows.reversed()
        )
        let expected = [[3, 2, 1], [6, 5, 4], [9, 8, 7], [13, 12, 11], [16, 15, 14], [19, 18, 17]]
        #expect(try pixels(file) == expected.map { $0 + [255] })
    }

    @Test func readsSixteenBits() throws {
        let plain = CraftedBMP(width: 2, height: 1, bits: 16, rows: [little16(0x7C00) + little16(0x03FF)])
        #expect(try pixels(plain) == [[255, 0, 0, 255], [0, 255, 255, 255]])
        var masked = plain
        masked.compression = 3
        masked.masks = [0xF800, 0x07E0, 0x001F]
        masked.rows = [little16(0x8000 | 32 << 5 | 1) + little16(0x07E0)]
        // 16/31, 32/63 and 1/31 of 255, rounded.
        #expect(try pixels(masked) == [[132, 130, 8, 255], [0, 255, 0, 255]])
    }

    @Test func readsThirtyTwoBits() throws {
        let plain = CraftedBMP(width: 1, height: 1, bits: 32, rows: [[1, 2, 3, 4]])
        #expect(try pixels(plain) == [[3, 2, 1, 255]])
        #expect(try !ImageHeader.read(plain.data).hasAlpha)
        var ten = plain
        ten.compression = 3
        ten.masks = [0x3FF0_0000, 0x000F_FC00, 0x0000_03FF]
        ten.rows = [little32(1023 << 20 | 512 << 10 | 0)]
        #expect(try pixels(ten) == [[255, 128, 0, 255]])
    }

    @Test(arguments: [56, 108, 124])
    func anAlphaMaskCountsIfItIsUsed(_ headerSize: Int) throws {
        var file = CraftedBMP(
            width: 2,
            height: 1,
            bits: 32,
            compression: 3,
            headerSize: headerSize,
            masks: [0xFF, 0xFF00, 0xFF0000, 0xFF00_0000],
            rows: [[1, 2, 3, 0, 4, 5, 6, 128]]
        )
        #expect(try ImageHeader.read(file.data).hasAlpha)
        #expect(try pixels(file)[1] == [4, 5, 6, 128])
        file.rows = [[1, 2, 3, 0, 4, 5, 6, 0]]
        #expect(try !ImageHeader.read(file.data).hasAlpha)
        #expect(try pixels(file) == [[1, 2, 3, 255], [4, 5, 6, 255]])
    }

    @Test func expandsRuns() throws {
        // A run of three, a literal of three, end of row; a leap to (1, 2), a run, the end.
        let codes: [UInt8] = [3, 1, 0, 3, 2, 3, 2, 0, 0, 0, 0, 2, 1, 1, 2, 3, 0, 1]
        let file = CraftedBMP(
            width: 6,
            height: 3,
            bits: 8,
            compression: 1,
            palette: Self.palette,
            rows: [codes]
        )
        let rows = [[0, 3, 3, 0, 0, 0], [0, 0, 0, 0, 0, 0], [1, 1, 1, 2, 3, 2]]
        #expect(try pixels(file) == rows.joined().map { colors[$0] })

        // Two colours that take turns, and a literal of five; no end mark behind the last pixel.
        let nibbles: [UInt8] = [5, 0x12, 0, 0, 0, 5, 0x30, 0x12, 0x10, 0]
        let four = CraftedBMP(
            width: 5,
            height: 2,
            bits: 4,
            compression: 2,
            palette: Self.palette,
            rows: [nibbles]
        )
        #expect(try pixels(four) == [3, 0, 1, 2, 1, 1, 2, 1, 2, 1].map { colors[$0] })
    }

    @Test func usesAnEmbeddedProfile() throws {
        // Linear light: half of it is 188 in sRGB.
        let profile = matrixProfile(
            red: [0.4361, 0.2225, 0.0139],
            green: [0.3851, 0.7169, 0.0971],
            blue: [0.1431, 0.0606, 0.7141],
            gamma: 1
        )
        let file = CraftedBMP(
            width: 1,
            height: 1,
            bits: 24,
            headerSize: 124,
            rows: [[128, 128, 128]],
            profile: profile
        )
        #expect(try pixels(file).allSatisfy { abs($0[0] - 188) <= 1 && abs($0[2] - 188) <= 1 })
    }

    @Test func averagesFromTheTop() throws {
        // 5 rows by a factor of 2: the last result is the lowest row alone.
        let rows = [0, 2, 10, 20, 99].map { [UInt8](repeating: UInt8($0), count: 12) }
        let file = CraftedBMP(width: 4, height: 5, bits: 24, rows: rows.reversed()).data
        let image = try ImageDecoder.decode(file, covering: PixelSize(width: 1, height: 1))
        #expect(image.size == PixelSize(width: 2, height: 3))
        #expect(try (0..<3).map { try pixel(image, x: 0, y: $0)[0] } == [1, 15, 99])
    }

    @Test func refusesWhatItDoesNotRead() throws {
        let huffman = CraftedBMP(width: 8, height: 1, bits: 1, compression: 3, headerSize: 64, rows: [[0]])
        let jpeg = CraftedBMP(width: 8, height: 1, bits: 24, compression: 4, rows: [[0]])
        for file in [huffman, jpeg] {
            let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file.data) }
            #expect(error?.reason == .unsupported)
        }
    }

    // MARK: Palettes and runs that are not as they should be

    /// As in Chromium, Pillow, libvips and FFmpeg; ImageMagick refuses them.
    @Test(arguments: [1, 2, 4, 8])
    func colorsBeyondThePaletteAreBlack(_ bits: Int) throws {
        let packed = UInt8(((1 << bits) - 1) << (8 - bits))
        let palette = Array(Self.palette.prefix(1))
        var file = CraftedBMP(width: 1, height: 1, bits: bits, palette: palette, rows: [[packed]])
        #expect(try pixels(file) == [[0, 0, 0, 255]])
        #expect(try ImageDecoder.decode(file.data).warnings == [.paletteIndex])
        file.rows = [[0]]
        #expect(try pixels(file) == [colors[0]])
        #expect(try ImageDecoder.decode(file.data).warnings.isEmpty)
        // So are those of an icon.
        file.rows = [[packed]]
        let icon = CraftedICO(pictures: [(1, 1, bits, CraftedICO.bitmap(file, mask: [[0]]))]).data
        let image = try ImageDecoder.decode(icon)
        #expect([UInt8](try image.rgba()) == [0, 0, 0, 255])
        #expect(image.warnings == [.paletteIndex])
    }

    @Test func aPaletteMayClaimMoreColorsThanPixelsName() throws {
        var file = CraftedBMP(width: 2, height: 1, bits: 1, palette: Self.palette, rows: [[0b0100_0000]])
        #expect(try pixels(file) == [colors[0], colors[1]])
        #expect(try ImageDecoder.decode(file.data).warnings == [.headerValue])
        file.palette = Array(Self.palette.prefix(2))
        #expect(try ImageDecoder.decode(file.data).warnings.isEmpty)
        // Pixels that begin within the first colour leave none.
        var data = file.data
        data.replaceSubrange(10..<14, with: little32(14 + 40 + 2))
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
        #expect(error?.reason == .corrupt)
    }

    /// As in Chromium, Pillow, ImageMagick and FFmpeg.
    @Test(arguments: [8, 4])
    func runsMayComeFromTheTop(_ bits: Int) throws {
        let runs: [UInt8] =
            bits == 8 ? [3, 1, 0, 0, 1, 2, 2, 3, 0, 1] : [3, 0x11, 0, 0, 1, 0x22, 2, 0x33, 0, 1]
        var file = CraftedBMP(
            width: 3,
            height: 2,
            bits: bits,
            compression: bits == 8 ? 1 : 2,
            palette: Self.palette,
            rows: [runs]
        )
        let (first, second) = ([1, 1, 1].map { colors[$0] }, [2, 3, 3].map { colors[$0] })
        #expect(try pixels(file) == second + first)
        #expect(try ImageDecoder.decode(file.data).warnings.isEmpty)
        file.height = -2
        #expect(try pixels(file) == first + second)
        #expect(try ImageDecoder.decode(file.data).warnings == [.headerValue])
    }

    @Test func runsBeyondARowAreDropped() throws {
        let file = CraftedBMP(
            width: 2,
            height: 1,
            bits: 8,
            compression: 1,
            palette: Self.palette,
            rows: [[3, 1, 0, 1]]
        )
        #expect(try pixels(file) == [colors[1], colors[1]])
        #expect(try ImageDecoder.decode(file.data).warnings == [.rowLength])
    }
}
