import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct ICODecoderTests {
    private func png(_ width: Int, _ height: Int, alpha: Bool = true) throws -> Data {
        try ImageEncoder.encode(try Photographs.gradient(width, height, alpha: alpha), as: .png())
    }

    @Test func isOneOfTheFormatsThatEveryBuildReads() {
        #expect(ImageDecoder.formats.isSuperset(of: [.jpeg, .png, .webp, .bmp, .ico]))
        #expect(ImageDecoder.formats.isSuperset(of: ImageEncoder.formats))
    }

    @Test func readsThePNGOfAPicture() throws {
        let file = try png(48, 32)
        let icon = CraftedICO(pictures: [(48, 32, 32, file)]).data
        let header = try ImageHeader.read(icon)
        #expect(header.format == .ico && header.size == PixelSize(width: 48, height: 32) && header.hasAlpha)
        #expect(try ImageDecoder.decode(icon).rgba() == ImageDecoder.decode(file).rgba())
        let slice = (Data([1, 2, 3]) + icon).dropFirst(3)
        #expect(try ImageDecoder.decode(slice).rgba() == ImageDecoder.decode(file).rgba())
        let small = try ImageDecoder.decode(icon, covering: PixelSize(width: 4, height: 4))
        #expect(small.size == header.decodedSize(covering: PixelSize(width: 4, height: 4)))
        #expect(small.byteCount <= header.decodeCost(covering: PixelSize(width: 4, height: 4)))
    }

    @Test func showsTheLargestPictureAndOfEqualOnesTheDeepest() throws {
        var pictures = [(16, 16, 32, try png(16, 16)), (256, 256, 32, try png(256, 256))]
        pictures += [(32, 32, 32, try png(32, 32))]
        #expect(try ImageHeader.read(CraftedICO(pictures: pictures).data).size.width == 256)
        let flat = CraftedBMP(width: 2, height: 1, bits: 24, rows: [[0, 0, 255, 0, 0, 255]])
        let shallow = CraftedICO.bitmap(flat, mask: [[0, 0]])
        let deep = try png(2, 1)
        for order in [[(2, 1, 24, shallow), (2, 1, 32, deep)], [(2, 1, 32, deep), (2, 1, 24, shallow)]] {
            let icon = CraftedICO(pictures: order).data
            #expect(try ImageDecoder.decode(icon).rgba() == ImageDecoder.decode(deep).rgba())
        }
    }

    @Test func aSmallerPictureDoesNotStandForOneThatIsCutShort() throws {
        let pictures = [(16, 16, 32, try png(16, 16)), (64, 64, 32, try png(64, 64))]
        let error = #expect(throws: ImagingError.self) {
            try ImageDecoder.decode(CraftedICO(pictures: pictures).data.dropLast(20))
        }
        #expect(error?.reason == .truncated)
    }

    /// Rows are stored from the bottom: blue below red.
    @Test(arguments: [1, 4, 8, 24])
    func theMaskOfABitmapIsItsAlpha(bits: Int) throws {
        let rows: [[UInt8]] =
            switch bits {
            case 1: [[0b0000_0000], [0b1110_0000]]
            case 4: [[0x00, 0x00], [0x11, 0x10]]
            case 8: [[0, 0, 0], [1, 1, 1]]
            default: [[255, 0, 0, 255, 0, 0, 255, 0, 0], [0, 0, 255, 0, 0, 255, 0, 0, 255]]
            }
        let palette: [[UInt8]] = bits == 24 ? [] : [[255, 0, 0], [0, 0, 255]]
        let bitmap = CraftedBMP(width: 3, height: 2, bits: bits, palette: palette, rows: rows)
        let content = CraftedICO.bitmap(bitmap, mask: [[1, 0, 0], [0, 0, 1]])
        let icon = CraftedICO(pictures: [(3, 2, bits, content)]).data
        #expect(try ImageHeader.read(icon).hasAlpha)
        let image = try ImageDecoder.decode(icon)
        #expect(image.size == PixelSize(width: 3, height: 2))
        let red: [UInt8] = [255, 0, 0, 255]
        let blue: [UInt8] = [0, 0, 255, 255]
        let expected = red + red + [255, 0, 0, 0] + [0, 0, 255, 0] + blue + blue
        #expect([UInt8](try image.rgba()) == expected)

        let opaque = CraftedICO.bitmap(bitmap, mask: [[0, 0, 0], [0, 0, 0]])
        #expect(try !ImageHeader.read(CraftedICO(pictures: [(3, 2, bits, opaque)]).data).hasAlpha)
        // Some writers leave the mask out.
        let bare = CraftedICO.bitmap(bitmap, mask: [])
        #expect(try ImageDecoder.decode(CraftedICO(pictures: [(3, 2, bits, bare)]).data).size.width == 3)
    }

    @Test func aBitmapOf32BitsHasItsOwnAlpha() throws {
        let bitmap = CraftedBMP(width: 2, height: 1, bits: 32, rows: [[0, 0, 255, 128, 255, 0, 0, 255]])
        // Its mask would hide the second pixel.
        let icon = CraftedICO(pictures: [(2, 1, 32, CraftedICO.bitmap(bitmap, mask: [[0, 1]]))]).data
        #expect([UInt8](try ImageDecoder.decode(icon).rgba()) == [255, 0, 0, 128, 0, 0, 255, 255])
        // All zero is no alpha: then the mask counts.
        let old = CraftedBMP(width: 2, height: 1, bits: 32, rows: [[0, 0, 255, 0, 255, 0, 0, 0]])
        let masked = CraftedICO(pictures: [(2, 1, 32, CraftedICO.bitmap(old, mask: [[0, 1]]))]).data
        #expect([UInt8](try ImageDecoder.decode(masked).rgba()) == [255, 0, 0, 255, 0, 0, 255, 0])
    }

    @Test func anyInputGivesAnImageOrAnError() throws {
        let bitmap = CraftedBMP(
            width: 40,
            height: 2,
            bits: 8,
            palette: [[255, 0, 0], [0, 0, 255]],
            rows: [[UInt8]](repeating: [UInt8](repeating: 1, count: 40), count: 2)
        )
        let content = CraftedICO.bitmap(bitmap, mask: [[Int]](repeating: [1, 0, 1], count: 2))
        let files = [
            CraftedICO(pictures: [(40, 2, 8, content)]).data,
            CraftedICO(pictures: [(16, 16, 32, try png(16, 16)), (40, 2, 8, content)]).data,
        ]
        let seed = UInt64.random(in: 0...UInt64.max)
        print("mutants of an icon: seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var limits = ImageLimits()
        limits.maxPixels = 1_000_000
        for file in files {
            for count in 0..<file.count { _ = try? ImageDecoder.decode(file.prefix(count), limits: limits) }
            for _ in 0..<1000 {
                var mutant = file
                for _ in 0..<Int.random(in: 1...6, using: &generator) {
                    mutant[Int.random(in: 0..<mutant.count, using: &generator)] = UInt8.random(
                        in: 0...255,
                        using: &generator
                    )
                }
                guard let header = try? ImageHeader.read(mutant),
                    let image = try? ImageDecoder.decode(mutant, header: header, limits: limits)
                else { continue }
                #expect(image.size == header.size && image.hasAlpha == header.hasAlpha)
                #expect(image.byteCount <= header.decodeCost(covering: nil))
            }
        }
    }
}
