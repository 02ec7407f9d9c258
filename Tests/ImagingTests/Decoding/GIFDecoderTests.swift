#if GIF
import Foundation
import Imaging
import TestSupport
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

    /// As in Chromium, Pillow, libvips and giflib; FFmpeg and, of transparent images, libvips make them transparent.
    @Test(arguments: [nil, 2])
    func colorsBeyondThePaletteAreBlack(_ transparent: Int?) throws {
        let file = CraftedGIF(
            screenWidth: 4,
            screenHeight: 1,
            width: 4,
            height: 1,
            localPalette: [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]],
            transparent: transparent,
            indices: [0, 1, 2, 200]
        )
        let black = [0, 0, 0, 255]
        var image = try ImageDecoder.decode(file.data)
        let third = transparent == nil ? [7, 8, 9, 255] : clear
        #expect(try pixels(image) == [[1, 2, 3, 255], [4, 5, 6, 255], third, black])
        #expect(image.warnings == [.paletteIndex])
        var named = file
        named.indices = [0, 1, 1, 0]
        image = try ImageDecoder.decode(named.data)
        #expect(image.warnings.isEmpty)
    }

    /// Decoders disagree about pixels without a palette: black, white, shades of gray, or an error.
    @Test func withoutAPaletteAllPixelsMustBeTransparent() throws {
        var file = CraftedGIF(
            screenWidth: 2,
            screenHeight: 1,
            width: 2,
            height: 1,
            globalPalette: nil,
            transparent: 5,
            indices: [5, 5]
        )
        let image = try ImageDecoder.decode(file.data)
        #expect(try pixels(image) == [clear, clear])
        #expect(image.warnings == [.missingPalette])
        file.indices = [5, 0]
        let partly = file.data
        file.transparent = nil
        for data in [partly, file.data] {
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(data) }
            #expect(error?.reason == .corrupt)
        }
    }

    // MARK: Codes

    @Test(arguments: 2...11)
    func readsAnySizeOfCodes(_ size: Int) throws {
        var file = CraftedGIF(screenWidth: 150, screenHeight: 90, width: 150, height: 90, indices: [])
        var generator = SeededGenerator(seed: UInt64(size))
        // Runs and noise, and enough of them to fill the table.
        file.indices = (0..<150 * 90).map {
            $0 % 7 < 3 ? $0 / 300 % 4 : Int.random(in: 0..<4, using: &generator)
        }
        let colors = [red, green, blue, [10, 20, 30, 255]]
        let expected = file.indices.map { colors[$0] }
        file.codeSize = size
        for isCompressed in [false, true] {
            file.isCompressed = isCompressed
            for isInterlaced in [false, true] {
                file.isInterlaced = isInterlaced
                let image = try ImageDecoder.decode(file.data)
                #expect(try pixels(image) == expected)
                #expect(image.warnings == (size > 8 ? [.headerValue] : []))
            }
        }
    }

    /// Above 255, a pixel is its lowest eight bits, as in Pillow, libvips and FFmpeg.
    @Test func codesOfNinePixelBitsWrapAround() throws {
        var file = CraftedGIF(screenWidth: 2, screenHeight: 1, width: 2, height: 1, indices: [257, 2])
        file.codeSize = 9
        #expect(try pixels(ImageDecoder.decode(file.data)) == [green, blue])
    }

    @Test func theEndOfAFrameMayBeImperfect() throws {
        let file = CraftedGIF(screenWidth: 2, screenHeight: 1, width: 2, height: 1, indices: [0, 2])
        func warnings(_ change: (inout CraftedGIF) -> Void) throws -> Set<ImageWarning> {
            var changed = file
            change(&changed)
            let image = try ImageDecoder.decode(changed.data)
            #expect(try pixels(image) == [red, blue])
            return image.warnings
        }
        #expect(try warnings { $0.hasEndCode = false } == [])
        #expect(try warnings { $0.surplus = [1, 1] } == [.extraPixels])
        #expect(try warnings { $0.ending = [3, 7, 7, 7, 0, 0x3B] } == [.extraPixels])
        #expect(try warnings { $0.ending = [] } == [.missingEnd])
        #expect(try warnings { $0.ending = [0] } == [.missingEnd])
        #expect(try warnings { $0.ending = [0x3B] } == [.missingEnd, .extraPixels])
        #expect(try warnings { $0.ending += Array("rest".utf8) } == [.trailingData])
        // Another frame, cut short, is never read.
        #expect(try warnings { $0.ending = [0, 0x2C, 1] } == [])
    }

    @Test func aFrameThatEndsEarlyIsTruncated() throws {
        var file = CraftedGIF(screenWidth: 2, screenHeight: 2, width: 2, height: 2, indices: [0, 2, 1])
        for hasEndCode in [false, true] {
            file.hasEndCode = hasEndCode
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file.data) }
            #expect(error?.reason == .truncated)
        }
    }

    @Test func codesWithoutMeaningAreDamage() throws {
        var file = CraftedGIF(screenWidth: 2, screenHeight: 1, width: 2, height: 1, indices: [0, 2])
        // The first code after a clear code is a pixel, and 260 is not made yet when it comes second.
        for indices in [[258, 0], [0, 260]] {
            file.indices = indices
            let error = #expect(throws: ImagingError.self) { try ImageDecoder.decode(file.data) }
            #expect(error?.reason == .corrupt)
        }
        file.indices = [0, 2]
        var data = file.data
        let size = try #require(data.firstIndex(of: 0x2C)) + 10
        for wrong: UInt8 in [12, 13, 32, 255] {
            data[size] = wrong
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
