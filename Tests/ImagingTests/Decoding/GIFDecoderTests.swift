#if GIF
import Foundation
import Imaging
import Testing

@Suite struct GIFDecoderTests {
    private let red = [255, 0, 0, 255]
    private let green = [0, 255, 0, 255]
    private let blue = [0, 0, 255, 255]
    private let clear = [0, 0, 0, 0]

    private func pixels(_ image: Image) throws -> [[Int]] {
        let rgba = [UInt8](try image.rgba())
        return stride(from: 0, to: rgba.count, by: 4).map { rgba[$0..<$0 + 4].map(Int.init) }
    }

    @Test func readsAFrameThatCoversItsScreen() throws {
        let file = CraftedGIF(
            screenWidth: 3,
            screenHeight: 2,
            width: 3,
            height: 2,
            indices: [0, 1, 2, 3, 2, 1]
        ).data
        let header = try ImageHeader.read(file)
        #expect(header.format == .gif && !header.hasAlpha && !header.isProgressive)
        let image = try ImageDecoder.decode(file)
        #expect(image.colorModel == .rgb && !image.hasAlpha)
        #expect(try pixels(image) == [red, green, blue, [10, 20, 30, 255], blue, green])
    }

    @Test func whatAFrameLeavesBareIsTransparent() throws {
        let file = CraftedGIF(
            screenWidth: 4,
            screenHeight: 3,
            left: 1,
            top: 1,
            width: 2,
            height: 1,
            localPalette: [[0, 0, 255], [0, 255, 0], [1, 1, 1], [2, 2, 2]],
            indices: [0, 1]
        ).data
        #expect(try ImageHeader.read(file).hasAlpha)
        let row = [clear, clear, clear, clear]
        #expect(try pixels(ImageDecoder.decode(file)) == row + [clear, blue, green, clear] + row)
    }

    @Test func aScreenThatIsTooSmallIsEnlarged() throws {
        let file = CraftedGIF(screenWidth: 0, screenHeight: 0, left: 1, width: 1, height: 2, indices: [0, 2])
            .data
        #expect(try pixels(ImageDecoder.decode(file)) == [clear, red, clear, blue])
    }

    /// Many writers use a transparent index past the end of the palette.
    @Test(arguments: [1, 77])
    func oneIndexIsTransparent(_ index: Int) throws {
        let file = CraftedGIF(
            screenWidth: 2,
            screenHeight: 1,
            width: 2,
            height: 1,
            transparent: index,
            indices: [0, index]
        ).data
        #expect(try ImageHeader.read(file).hasAlpha)
        #expect(try pixels(ImageDecoder.decode(file)) == [red, clear])
    }

    @Test func interlacedRowsComeToTheirPlaces() throws {
        for height in 1...19 {
            let indices = (0..<height * 3).map { $0 * 7 / 3 % 4 }
            let plain = CraftedGIF(
                screenWidth: 3,
                screenHeight: height,
                width: 3,
                height: height,
                indices: indices
            )
            var interlaced = plain
            interlaced.isInterlaced = true
            #expect(try ImageHeader.read(interlaced.data).isProgressive)
            let image = try ImageDecoder.decode(interlaced.data)
            #expect(try pixels(image) == pixels(ImageDecoder.decode(plain.data)))
        }
    }

    @Test func averagesWhileItDecodes() throws {
        let indices = (0..<400).map { ($0 / 20 + $0) % 2 == 0 ? 0 : 2 }
        for isInterlaced in [false, true] {
            let file = CraftedGIF(
                screenWidth: 20,
                screenHeight: 20,
                width: 20,
                height: 20,
                isInterlaced: isInterlaced,
                indices: indices
            ).data
            let image = try ImageDecoder.decode(file, covering: PixelSize(width: 5, height: 5))
            #expect(image.size == PixelSize(width: 10, height: 10))
            #expect(try pixels(image).allSatisfy { $0 == [128, 0, 128, 255] })
        }
    }

    @Test func missingColorsAreDamage() throws {
        var file = CraftedGIF(screenWidth: 1, screenHeight: 1, width: 1, height: 1, indices: [9])
        let badIndex = file.data
        file.indices = [0]
        file.globalPalette = nil
        for data in [badIndex, file.data] {
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
            #expect(error?.reason == .corrupt)
        }
    }

    @Test func aFileWithoutAFrameIsDamage() throws {
        let file = CraftedGIF(screenWidth: 1, screenHeight: 1, width: 1, height: 1, indices: [0]).data
        let error = #expect(throws: ImagingError.self) { try ImageHeader.read(file.prefix(25) + [0x3B]) }
        #expect(error?.reason == .corrupt)
    }
}
#endif
