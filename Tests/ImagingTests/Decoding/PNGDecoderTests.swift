import Foundation
import Imaging
import Testing

@Suite struct PNGDecoderTests {
    @Test func readsPalettesWithTransparency() throws {
        let file = CraftedPNG(
            width: 3,
            height: 2,
            depth: 2,
            colorType: 3,
            extra: [("PLTE", [255, 0, 0, 0, 255, 0, 0, 0, 255]), ("tRNS", [255, 128])],
            raw: [0, 0b0001_1000, 0, 0b1001_0000]
        ).data
        #expect(try ImageHeader.read(file).hasAlpha)
        let image = try ImageDecoder.decode(file)
        let red = [255, 0, 0, 255]
        let green = [0, 255, 0, 128]
        let blue = [0, 0, 255, 255]
        let row =
            try (0..<3).map { try pixel(image, x: $0, y: 0) } + (0..<3).map { try pixel(image, x: $0, y: 1) }
        #expect(row == [red, green, blue, blue, green, red])
    }

    @Test func roundsSixteenBits() throws {
        // v / 257, rounded: 0x00FF is 255/257 = 0.99, not the upper byte's 0.
        let values = [0x0000, 0x00FF, 0x0080, 0x7FFF, 0x8080, 0xFFFF]
        var raw: [UInt8] = [0]
        for value in values { raw += [UInt8(value >> 8), UInt8(value & 255)] }
        let image = try ImageDecoder.decode(
            CraftedPNG(width: 6, height: 1, depth: 16, colorType: 0, raw: raw).data
        )
        #expect(image.colorModel == .gray)
        let found = try (0..<6).map { try pixel(image, x: $0, y: 0)[0] }
        #expect(found == values.map { Int((Double($0) / 257).rounded()) })
    }

    @Test(arguments: [1, 2, 4])
    func spreadsGrayOfFewBits(_ depth: Int) throws {
        let levels = (1 << depth) - 1
        let raw: [UInt8] = [0, depth == 1 ? 0b0100_0000 : depth == 2 ? 0b0011_0000 : 0b0000_1111]
        let image = try ImageDecoder.decode(
            CraftedPNG(width: 2, height: 1, depth: depth, colorType: 0, raw: raw).data
        )
        #expect(try pixel(image, x: 0, y: 0)[0] == 0)
        #expect(try pixel(image, x: 1, y: 0)[0] == levels * 255 / levels)
    }

    @Test func readsInterlacedImages() throws {
        // Adam7 (RFC 2083, 2.6) of 8 × 8 gray: each pass has its own rows.
        let passes = [
            (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
        ]
        var raw: [UInt8] = []
        for (startX, startY, stepX, stepY) in passes {
            for y in stride(from: startY, to: 8, by: stepY) {
                raw.append(0)
                for x in stride(from: startX, to: 8, by: stepX) { raw.append(UInt8(y * 8 + x)) }
            }
        }
        let file = CraftedPNG(width: 8, height: 8, colorType: 0, isInterlaced: true, raw: raw).data
        #expect(try ImageHeader.read(file).isProgressive)
        let rgba = try ImageDecoder.decode(file).rgba()
        #expect(stride(from: 0, to: 256, by: 4).map { Int(rgba[$0]) } == Array(0..<64))
    }

    @Test(arguments: Orientation.allCases)
    func turnsUprightExactly(_ orientation: Orientation) throws {
        let raw: [UInt8] = [0, 0, 1, 2, 3, 4, 0, 5, 6, 7, 8, 9, 0, 10, 11, 12, 13, 14]
        let file = CraftedPNG(
            width: 5,
            height: 3,
            colorType: 0,
            extra: [("eXIf", exif(orientation.rawValue))],
            raw: raw
        ).data
        let image = try ImageDecoder.decode(file)
        for row in 0..<3 {
            for column in 0..<5 {
                // EXIF 2.32, 4.6.4: the sides of the 0th row and the 0th column.
                let (x, y) =
                    switch orientation {
                    case .up: (column, row)
                    case .upMirrored: (4 - column, row)
                    case .down: (4 - column, 2 - row)
                    case .downMirrored: (column, 2 - row)
                    case .leftMirrored: (row, column)
                    case .right: (2 - row, column)
                    case .rightMirrored: (2 - row, 4 - column)
                    case .left: (row, 4 - column)
                    }
                #expect(try pixel(image, x: x, y: y)[0] == row * 5 + column)
            }
        }
    }

    @Test func refusesInvalidHeaders() {
        for file in [
            CraftedPNG(width: 0, height: 1).data, CraftedPNG(width: 1, height: 1, depth: 3).data,
            CraftedPNG(width: 1, height: 1, depth: 16, colorType: 3).data,
        ] {
            let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file) }
            #expect(error?.reason == .corrupt)
        }
    }

    @Test func aWrongChecksumIsDamage() throws {
        var file = try ImageEncoder.encode(try Photographs.gradient(20, 20), as: .png())
        file[file.count - 14] ^= 1
        let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file) }
        #expect(error?.reason == .corrupt)
    }

    @Test(
        "chunks that claim more bytes than the file has are refused before they are believed",
        arguments: ["sPLT", "pCAL", "iCCP", "eXIf", "abCd"]
    )
    func refusesLyingChunks(type: String) throws {
        var file = CraftedPNG(width: 1, height: 1, colorType: 0, extra: [(type, [1, 2, 3])], raw: [0, 7]).data
        let length = try #require(file.firstRange(of: Data(type.utf8))).lowerBound - 4
        file[length] = 0x3F
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file) }
        #expect(error?.reason == .truncated)
    }

    @Test("a gamma without a profile is a profile", arguments: [0, 2])
    func honoursGamma(colorType: Int) throws {
        // Linear light: 0.2140 of the light is sRGB's 127.5 (IEC 61966-2-1).
        let gamma = ("gAMA", bytes32(100_000))
        let raw: [UInt8] = colorType == 0 ? [0, 55] : [0, 55, 55, 55]
        let file = CraftedPNG(width: 1, height: 1, colorType: colorType, extra: [gamma], raw: raw).data
        #expect(abs(try pixel(try ImageDecoder.decode(file), x: 0, y: 0)[1] - 128) <= 2)
        let plain = CraftedPNG(
            width: 1,
            height: 1,
            colorType: colorType,
            extra: [("gAMA", bytes32(45_455))],
            raw: raw
        )
        #expect(try pixel(try ImageDecoder.decode(plain.data), x: 0, y: 0)[1] == 55)
    }
}
