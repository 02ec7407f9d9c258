#if TIFF
import Foundation
import Imaging
import Testing

/// Alpha beside each kind of colour (TIFF 6.0, ExtraSamples): 1 is associated, which multiplies the colours, 2 is not.
@Suite struct TIFFAlphaTests {
    private func pixels(_ data: Data) throws -> [[Int]] {
        let rgba = [UInt8](try ImageDecoder.decode(data).rgba())
        return stride(from: 0, to: rgba.count, by: 4).map { rgba[$0..<$0 + 4].map(Int.init) }
    }

    /// One row of pixels, each with its samples, of which the extra ones have these kinds.
    private func file(
        _ pixels: [[Int]],
        photometric: Int,
        kinds: [Int],
        bits: Int = 8,
        isSeparate: Bool = false
    ) -> CraftedTIFF {
        let samples = pixels[0].count
        var file = CraftedTIFF(
            pixels.count,
            1,
            bits: bits,
            samples: samples,
            photometric: photometric,
            pixels: []
        )
        let scale = bits == 16 ? 257 : 1
        let parts =
            isSeparate ? (0..<samples).map { sample in pixels.map { $0[sample] } } : [pixels.flatMap { $0 }]
        file.strips = parts.map { $0.flatMap { file.number($0 * scale, bits / 8) } }
        file.tags[284] = [isSeparate ? 2 : 1]
        file.tags[338] = kinds
        return file
    }

    @Test(arguments: [8, 16], [false, true])
    func cmykKeepsItsAlpha(_ bits: Int, _ isSeparate: Bool) throws {
        let straight = [[0, 255, 255, 0, 128], [255, 255, 0, 51, 255], [0, 0, 0, 0, 0]]
        let associated = [[0, 128, 128, 0, 128], [255, 255, 0, 51, 255], [0, 0, 0, 0, 0]]
        for (kind, samples) in [(2, straight), (1, associated)] {
            let data = file(samples, photometric: 5, kinds: [kind], bits: bits, isSeparate: isSeparate).data
            let header = try ImageHeader.read(data)
            #expect(header.hasAlpha && header.colorModel == .cmyk)
            let image = try ImageDecoder.decode(data)
            #expect(image.hasAlpha && image.byteCount <= header.decodeCost(covering: nil))
            let found = try pixels(data)
            #expect(found == [[255, 0, 0, 128], [0, 0, 204, 255], [255, 255, 255, 0]])
        }
        let none = file(straight, photometric: 5, kinds: [0], bits: bits, isSeparate: isSeparate).data
        #expect(try !ImageHeader.read(none).hasAlpha)
        #expect(try pixels(none)[0] == [255, 0, 0, 255])
    }

    /// The average of two pixels is weighted by their alpha.
    @Test func averagesCMYKByAlpha() throws {
        let row = (0..<8).flatMap { _ in [0, 255, 255, 0, 255, 0, 0, 0, 255, 0] }
        var crafted = CraftedTIFF(16, 16, samples: 5, photometric: 5, pixels: [])
        crafted.strips = [[UInt8]](repeating: row.map(UInt8.init), count: 16).map { $0 }
        crafted.strips = [Array(crafted.strips.joined())]
        crafted.tags[338] = [2]
        let image = try ImageDecoder.decode(crafted.data, covering: PixelSize(width: 4, height: 4))
        #expect(image.size == PixelSize(width: 8, height: 8))
        let rgba = [UInt8](try image.rgba())
        #expect(Array(rgba.prefix(4)) == [255, 0, 0, 128])
    }

    @Test(arguments: [8, 16], [false, true])
    func alphaMayFollowSamplesOfNoMeaning(_ bits: Int, _ isSeparate: Bool) throws {
        func found(_ samples: [Int], _ photometric: Int, _ kinds: [Int]) throws -> [Int] {
            try pixels(
                file([samples], photometric: photometric, kinds: kinds, bits: bits, isSeparate: isSeparate)
                    .data
            )[0]
        }
        #expect(try found([50, 100, 0, 9, 128], 2, [0, 2]) == [50, 100, 0, 128])
        #expect(try found([50, 100, 0, 9, 7, 128], 2, [0, 0, 1]) == [100, 199, 0, 128])
        #expect(try found([50, 100, 0, 128, 9], 2, [2, 0]) == [50, 100, 0, 128])
        #expect(try found([50, 9, 128], 1, [0, 2]) == [50, 50, 50, 128])
        #expect(try found([50, 128], 0, [2]) == [205, 205, 205, 128])
        #expect(try found([0, 255, 255, 0, 9, 128], 5, [0, 2]) == [255, 0, 0, 128])
        // A tenth of an alpha is not another one.
        #expect(try found([50, 100, 0, 128, 64], 2, [2, 2]) == [50, 100, 0, 128])
        let lab = try found([255, 0, 0, 9, 128], 8, [0, 2])
        #expect(lab[3] == 128 && lab.prefix(3).allSatisfy { $0 >= 254 })
    }

    @Test(arguments: [1, 2], [false, true])
    func aPaletteKeepsItsAlpha(_ kind: Int, _ isSeparate: Bool) throws {
        var crafted = file(
            [[0, 128], [1, 0], [2, 255]],
            photometric: 3,
            kinds: [kind],
            isSeparate: isSeparate
        )
        var map = [Int](repeating: 0, count: 768)
        for (index, color) in [[255, 0, 0], [0, 255, 0], [10, 20, 30]].enumerated() {
            for (channel, value) in color.enumerated() { map[channel * 256 + index] = value * 257 }
        }
        crafted.tags[320] = map
        #expect(try ImageHeader.read(crafted.data).hasAlpha)
        #expect(try pixels(crafted.data) == [[255, 0, 0, 128], [0, 255, 0, 0], [10, 20, 30, 255]])
    }
}
#endif
