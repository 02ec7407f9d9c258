import Foundation
import Imaging
import Testing

@Suite struct WatermarkTests {
    private let logo: Image

    init() throws {
        logo = try SampleKind.rgba.image(6, 4, seed: 99)
    }

    /// Base and overlay, colours and alpha from 0 to 1.
    private func over(_ below: [Double], _ above: [Double], opacity: Double) -> [Double] {
        let alpha = above[3] * opacity
        let whole = alpha + below[3] * (1 - alpha)
        let colors = (0..<3).map { index in
            whole == 0 ? 0 : (above[index] * alpha + below[index] * below[3] * (1 - alpha)) / whole
        }
        return colors + [whole]
    }

    private func rgba(_ image: Image, x: Int, y: Int) throws -> [Double] {
        try pixel(image, x: x, y: y).map { Double($0) / 255 }
    }

    @Test(arguments: SampleKind.allCases, [1.0, 0.4])
    func liesOverTheImage(_ kind: SampleKind, _ opacity: Double) throws {
        let image = try kind.image(15, 11)
        let result = try Watermark(image: logo, .init(opacity: opacity, margin: 2)).apply(to: image)
        #expect(result.size == image.size && result.bitDepth == image.bitDepth)
        #expect(result.hasAlpha == image.hasAlpha)
        for y in 0..<11 {
            for x in 0..<15 {
                let before = try rgba(image, x: x, y: y)
                let isUnder = (7..<13).contains(x) && (5..<9).contains(y)
                let expected =
                    isUnder ? over(before, try rgba(logo, x: x - 7, y: y - 5), opacity: opacity) : before
                let after = try rgba(result, x: x, y: y)
                #expect(abs(after[3] - expected[3]) < 0.006)
                guard expected[3] > 0.2 else { continue }
                for index in 0..<3 { #expect(abs(after[index] - expected[index]) < 0.016, "\(x), \(y)") }
            }
        }
    }

    @Test func isScaledByTheShorterSideAndFits() throws {
        let white = try Photographs.pattern(200, 100) { _, _ in [255, 255, 255, 255] }
        func box(_ watermark: Watermark, on width: Int, _ height: Int) throws -> PixelSize {
            let black = try Photographs.pattern(width, height) { _, _ in [0, 0, 0, 255] }
            return try Trim().apply(to: try watermark.apply(to: black)).size
        }
        let quarter = Watermark(image: white, .init(gravity: .center, scale: 0.25))
        #expect(try box(quarter, on: 400, 300) == PixelSize(width: 75, height: 38))
        #expect(try box(quarter, on: 300, 400) == PixelSize(width: 75, height: 38))
        let own = Watermark(image: white, .init(gravity: .center))
        #expect(try box(own, on: 400, 300) == PixelSize(width: 200, height: 100))
        #expect(try box(Watermark(image: white, .init(margin: 0)), on: 160, 300).width == 160)
        // Margins leave 100 pixels of 160.
        let margins = Watermark(image: white, .init(gravity: .center, margin: 30))
        #expect(try box(margins, on: 160, 300) == PixelSize(width: 100, height: 50))
        // However wide they are, they leave a pixel.
        _ = try Watermark(image: white, .init(margin: 1000)).apply(to: try SampleKind.rgb.image(1, 1))
        _ = try Watermark(image: white, .init(margin: 1000, tile: true)).apply(
            to: try SampleKind.gray.image(2, 5)
        )
    }

    /// A large watermark that is drawn tiny needs no more memory than itself, even if it covers a part of a sample.
    @Test func aLargeImageIsScaledDownFirst() throws {
        let large = try Photographs.pattern(900, 700) { _, _ in [255, 255, 255, 255] }
        let watermark = Watermark(image: large, .init(gravity: .center, scale: 0.002))
        let decode = try Photographs.pattern(125, 100) { _, _ in [0, 0, 0, 255] }
        let nominal = PixelSize(width: 1000, height: 800)
        let result = try watermark.apply(to: decode, nominalSize: nominal, chroma: nil)
        let light = [UInt8](try result.rgba()).enumerated().reduce(0.0) { sum, sample in
            sample.offset % 4 == 0 ? sum + Double(sample.element) / 255 : sum
        }
        // Two by one pixels, of which 64 are a sample.
        #expect(abs(light - 2.0 / 64) < 0.02)
    }

    @Test func tilesCoverTheImage() throws {
        let dot = try Photographs.pattern(2, 2) { _, _ in [255, 0, 0, 255] }
        let black = try Photographs.pattern(20, 13) { _, _ in [0, 0, 0, 255] }
        let tiles = Watermark(image: dot, .init(gravity: .northWest, margin: 3, tile: true))
        let result = try tiles.apply(to: black)
        for y in 0..<13 {
            for x in 0..<20 {
                let isRed = (x + 2) % 5 < 2 && (y + 2) % 5 < 2
                #expect(try pixel(result, x: x, y: y)[0] == (isRed ? 255 : 0), "\(x), \(y)")
            }
        }
        #expect(try tiles.coveringSize(for: black.size, output: PixelSize(width: 5, height: 4)) == nil)
    }

    @Test func grayUnderGrayStaysGray() throws {
        let image = try SampleKind.gray.image(9, 9)
        let gray = try Grayscale().apply(to: logo)
        #expect(try Watermark(image: gray).apply(to: image).colorModel == .gray)
        #expect(try Watermark(image: logo).apply(to: image).colorModel == .rgb)
    }

    @Test func equalImagesAreEqual() throws {
        let same = try SampleKind.rgba.image(6, 4, seed: 99)
        let other = try SampleKind.rgba.image(6, 4, seed: 98)
        #expect(Watermark(image: logo) == Watermark(image: same))
        #expect(Watermark(image: logo) != Watermark(image: other))
        #expect(Watermark(image: logo) != Watermark(image: same, .init(opacity: 0.5)))
        #expect(Set([Watermark(image: logo), Watermark(image: same)]).count == 1)
    }

    @Test func refusesWhatIsOutOfRange() throws {
        let image = try SampleKind.rgb.image(9, 9)
        for watermark in [
            Watermark(image: logo, .init(opacity: 1.1)), Watermark(image: logo, .init(opacity: .nan)),
            Watermark(image: logo, .init(margin: -1)), Watermark(image: logo, .init(scale: 0)),
            Watermark(image: logo, .init(scale: 2)),
        ] {
            #expect(throws: ImagingError.self) { try watermark.apply(to: image) }
        }
        #expect(try Watermark(image: logo, .init(opacity: 0)).apply(to: image).rgba() == image.rgba())
    }
}
