import Foundation
import Imaging
import Testing

@Suite struct PadTests {
    @Test(arguments: SampleKind.allCases, [Gravity.center, .northWest, .southEast, .point(x: 0.9, y: 0.2)])
    func setsTheImageOnACanvas(_ kind: SampleKind, _ gravity: Gravity) throws {
        let background = Color(red: 20, green: 130, blue: 220)
        for (width, height) in [(1, 1), (5, 8), (12, 7)] {
            let image = try kind.image(width, height)
            let pad = Pad(width: 17, height: 14, gravity: gravity, background: background)
            let result = try pad.apply(to: image)
            #expect(result.size == PixelSize(width: 17, height: 14))
            #expect(result.hasAlpha == image.hasAlpha && result.bitDepth == image.bitDepth)
            let (left, top) = position(image.size, gravity)
            let (before, after) = ([UInt8](try image.rgba()), [UInt8](try result.rgba()))
            for y in 0..<14 {
                for x in 0..<17 {
                    let start = (y * 17 + x) * 4
                    let isInside = (left..<left + width).contains(x) && (top..<top + height).contains(y)
                    let from = ((y - top) * width + x - left) * 4
                    let expected = isInside ? Array(before[from..<from + 4]) : [20, 130, 220, 255]
                    #expect(Array(after[start..<start + 4]) == expected, "\(x), \(y)")
                }
            }
        }
    }

    private func position(_ size: PixelSize, _ gravity: Gravity) -> (Int, Int) {
        switch gravity {
        case .center: ((17 - size.width) / 2, (14 - size.height) / 2)
        case .southEast: (17 - size.width, 14 - size.height)
        case .point:
            (
                min(17 - size.width, Int((0.9 * 17 - Double(size.width) / 2).rounded())),
                max(0, Int((0.2 * 14 - Double(size.height) / 2).rounded()))
            )
        default: (0, 0)
        }
    }

    @Test func aLongerSideStays() throws {
        let image = try SampleKind.rgb.image(20, 10)
        #expect(try Pad(width: 15, height: 15).apply(to: image).size == PixelSize(width: 20, height: 15))
        #expect(try Pad(height: 12).apply(to: image).size == PixelSize(width: 20, height: 12))
        #expect(try Pad(width: 20, height: 10).apply(to: image).rgba() == image.rgba())
        #expect(throws: ImagingError.self) { try Pad().apply(to: image) }
        #expect(throws: ImagingError.self) { try Pad(width: 0).apply(to: image) }
    }

    @Test(arguments: SampleKind.allCases)
    func aTransparentCanvasGivesAlpha(_ kind: SampleKind) throws {
        let image = try kind.image(6, 6)
        let result = try Pad(width: 10, background: .clear).apply(to: image)
        #expect(result.hasAlpha)
        #expect(try pixel(result, x: 0, y: 3)[3] == 0)
        #expect(try pixel(result, x: 2, y: 3) == pixel(image, x: 0, y: 3))
        let half = Color(red: 255, green: 255, blue: 255, alpha: 128)
        #expect(
            try pixel(try Pad(width: 10, background: half).apply(to: image), x: 0, y: 3) == [
                255, 255, 255, 128,
            ]
        )
    }

    @Test func grayStaysGrayOnGray() throws {
        let image = try SampleKind.gray.image(3, 3)
        #expect(try Pad(width: 9, background: .black).apply(to: image).planes.count == 1)
        let red = Color(red: 255, green: 0, blue: 0)
        #expect(try Pad(width: 9, background: red).apply(to: image).colorModel == .rgb)
    }

    /// Chroma of 4:2:0 stays so on its way into a JPEG, wherever the border begins.
    @Test(arguments: [0, 1, 2, 3])
    func aJPEGKeepsItsChroma(_ border: Int) throws {
        let image = try ImageDecoder.decode(try Photographs.jpeg("coffee.png", width: 201, height: 151))
        let pad = Pad(
            width: 201 + 2 * border + 20,
            height: 171,
            gravity: .point(x: 0.5, y: 0.5),
            background: Color(red: 200, green: 30, blue: 90)
        )
        let result = try pad.apply(to: image, nominalSize: image.size, chroma: .s420)
        #expect(result.colorModel == .ycbcr)
        let expected = try pad.apply(to: image)
        #expect(expected.colorModel == .rgb)
        let options = JPEGOptions(quality: 95)
        let written = try ImageDecoder.decode(try ImageEncoder.encode(result, as: .jpeg(options)))
        #expect(try psnr(written, expected) > 30)
        #expect(
            try pixel(written, x: 2, y: 2).enumerated().allSatisfy { abs($1 - [200, 30, 90, 255][$0]) < 6 }
        )
    }
}

@Suite struct FlattenTests {
    @Test(arguments: SampleKind.allCases)
    func laysAlphaOverAColour(_ kind: SampleKind) throws {
        let image = try kind.image(9, 5)
        let result = try Flatten(background: RGBColor(red: 0, green: 90, blue: 255)).apply(to: image)
        #expect(!result.hasAlpha)
        let (before, after) = ([UInt8](try image.rgba()), [UInt8](try result.rgba()))
        for index in before.indices where index % 4 != 3 {
            let alpha = Double(before[index / 4 * 4 + 3]) / 255
            let expected = Double(before[index]) * alpha + [0, 90, 255][index % 4] * (1 - alpha)
            #expect(abs(Double(after[index]) - expected) <= 1.5)
        }
    }
}
