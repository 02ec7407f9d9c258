import Foundation
import Imaging
import Testing

@Suite struct PalettePNGTests {
    private let palette = EncodingFormat.png(PNGOptions(palette: true))

    /// Bit depth and colour type, out of IHDR.
    private func kind(_ file: Data) -> [UInt8] { Array(file[24...25]) }

    private func colors(_ image: Image) throws -> Set<Data> {
        let rgba = try image.rgba()
        return Set(stride(from: 0, to: rgba.count, by: 4).map { rgba[$0..<$0 + 4] })
    }

    @Test(arguments: ["coffee.png", "chelsea.png"])
    func aPhotographKeepsItsLooksInAThirdOfTheBytes(_ name: String) throws {
        let photo = try Photographs.image(name)
        let file = try ImageEncoder.encode(photo, as: palette)
        let decoded = try ImageDecoder.decode(file)
        #expect(kind(file) == [8, 3])
        #expect(!decoded.hasAlpha)
        #expect(try colors(decoded).count <= 256)
        #expect(try psnr(decoded, photo) > 30)
        #expect(try file.count * 2 < ImageEncoder.encode(photo, as: .png()).count)
    }

    @Test(arguments: [(2, 1), (4, 2), (16, 4), (40, 8), (256, 8)])
    func fewColorsAreKeptExactly(_ count: Int, _ depth: Int) throws {
        // An odd width: rows end within a byte.
        let image = try Photographs.pattern(37, 29) { x, y in
            let index = (x * 7 + y * 37) % count
            return [UInt8(index * 37 % 256), UInt8(index), UInt8(255 - index), 255]
        }
        let file = try ImageEncoder.encode(image, as: palette)
        #expect(kind(file) == [UInt8(depth), 3])
        #expect(try ImageDecoder.decode(file).rgba() == image.rgba())
    }

    @Test func keepsAlpha() throws {
        let image = try Photographs.gradient(120, 90, alpha: true)
        let file = try ImageEncoder.encode(image, as: palette)
        let decoded = try ImageDecoder.decode(file)
        #expect(decoded.hasAlpha)
        #expect(try colors(decoded).count <= 256)
        let (before, after) = (try image.rgba(), try decoded.rgba())
        let differences = stride(from: 3, to: before.count, by: 4).map {
            abs(Int(before[$0]) - Int(after[$0]))
        }
        #expect(differences.reduce(0, +) / differences.count < 12)

        let holes = try Photographs.pattern(20, 20) { x, _ in x < 10 ? [0, 0, 0, 0] : [200, 10, 10, 255] }
        let kept = try ImageDecoder.decode(try ImageEncoder.encode(holes, as: palette))
        #expect(try pixel(kept, x: 3, y: 3)[3] == 0)
        #expect(try pixel(kept, x: 13, y: 3) == [200, 10, 10, 255])
    }

    @Test func takesGrayAndSixteenBits() throws {
        let gray = try Grayscale().apply(to: try Photographs.gradient(40, 30))
        let file = try ImageEncoder.encode(gray, as: palette)
        #expect(kind(file)[1] == 3)
        #expect(try psnr(try ImageDecoder.decode(file), gray) > 45)
        let png = CraftedPNG(width: 1, height: 1, depth: 16, colorType: 0, raw: [0, 0x7F, 0xFF]).data
        let deep = try ImageDecoder.decode(png, bitDepth: 16)
        #expect(
            try pixel(try ImageDecoder.decode(try ImageEncoder.encode(deep, as: palette)), x: 0, y: 0)[0]
                == 127
        )
    }

    @Test func equalInputGivesEqualBytes() async throws {
        let photo = try Photographs.image("rocket.jpg")
        let file = try ImageEncoder.encode(photo, as: palette)
        // On other threads, too, several at once.
        let format = palette
        let others = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<4 { group.addTask { try ImageEncoder.encode(photo, as: format) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(others.allSatisfy { $0 == file })
        #expect(ImageEncoder.version(of: palette).contains("imagequant"))
    }
}
