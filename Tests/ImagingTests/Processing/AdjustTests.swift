import Foundation
import Imaging
import Testing

@Suite struct AdjustTests {
    static let adjustments = [
        Adjust(brightness: 0.2), Adjust(brightness: -0.3, contrast: 1.7), Adjust(contrast: 0.4),
        Adjust(saturation: 0), Adjust(saturation: 1.8), Adjust(gamma: 2.2), Adjust(gamma: 0.5),
        Adjust(brightness: 0.1, contrast: 1.2, saturation: 1.4, gamma: 1.1),
    ]

    /// One pixel by the definition, from 0 to 1.
    private func reference(_ adjust: Adjust, _ pixel: [Double]) -> [Double] {
        let toned = pixel.map { value in
            pow(min(max((value + adjust.brightness - 0.5) * adjust.contrast + 0.5, 0), 1), 1 / adjust.gamma)
        }
        guard toned.count == 3 else { return toned }
        let luma = 0.299 * toned[0] + 0.587 * toned[1] + 0.114 * toned[2]
        return toned.map { min(max(luma + adjust.saturation * ($0 - luma), 0), 1) }
    }

    @Test(arguments: SampleKind.allCases.filter { $0 != .ycbcr }, adjustments)
    func isWhatItIsDefinedAs(_ kind: SampleKind, _ adjust: Adjust) throws {
        for (width, height) in [(1, 1), (9, 7)] {
            let image = try kind.image(width, height)
            let result = try adjust.apply(to: image)
            #expect(result.colorModel == image.colorModel && result.bitDepth == image.bitDepth)
            #expect(largestDifference(result.opacity, image.opacity) == 0)
            let (before, after) = (image.colors.map(\.rows), result.colors.map(\.rows))
            for y in 0..<height {
                for x in 0..<width {
                    let expected = reference(adjust, before.map { $0[y][x] / image.most })
                    for (channel, value) in expected.enumerated() {
                        // Rounded once by the table and once by the saturation, which multiplies the first.
                        let tolerance = 0.51 * (1 + 2 * max(1, adjust.saturation))
                        #expect(abs(after[channel][y][x] - value * image.most) <= tolerance)
                    }
                }
            }
        }
    }

    /// On YCbCr clipping differs a little: it comes when the colours are made of it.
    @Test(arguments: adjustments)
    func aJPEGStaysYCbCrWherePossible(_ adjust: Adjust) throws {
        let image = try ImageDecoder.decode(try Photographs.jpeg("coffee.png"))
        let result = try adjust.apply(to: image)
        let isClipped = adjust.brightness != 0 || adjust.contrast > 1
        #expect(result.colorModel == (adjust.gamma == 1 && !isClipped ? .ycbcr : .rgb))
        let rgb = try Image(width: image.size.width, height: image.size.height, rgba: try image.rgba())
        let quality = try psnr(result, try adjust.apply(to: rgb))
        print("adjust on YCbCr: \(quality) dB")
        #expect(quality > 45)
    }

    @Test func neutralValuesChangeNothing() throws {
        let image = try SampleKind.ycbcr.image(8, 8)
        #expect(try Adjust().apply(to: image).rgba() == image.rgba())
    }

    @Test(arguments: [
        Adjust(brightness: 1.1), Adjust(contrast: -1), Adjust(saturation: 11), Adjust(gamma: 0),
        Adjust(gamma: .nan),
    ])
    func refusesWhatIsOutOfRange(_ adjust: Adjust) throws {
        #expect(throws: ImagingError.self) { try adjust.apply(to: try SampleKind.gray.image(2, 2)) }
    }
}
