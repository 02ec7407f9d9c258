import Foundation
import Imaging
import Testing

@Suite struct GaussianBlurTests {
    @Test(arguments: SampleKind.allCases, [0.4, 2.3, 12.5])
    func isTheGaussian(_ kind: SampleKind, _ radius: Double) throws {
        for (width, height) in [(1, 1), (7, 5), (37, 1), (45, 34)] {
            let image = try kind.image(width, height)
            let blurred = try GaussianBlur(radius: radius).apply(to: image)
            #expect(blurred.size == image.size && blurred.colorModel == image.colorModel)
            #expect(blurred.planes.count == image.planes.count)
            #expect(blurred.bitDepth == image.bitDepth)
            let tolerance = 0.5 + 0.1 * (kind.isWide ? 257 : 1)
            let opacity = referenceBlur(image.opacity, sigma: radius)
            for (index, plane) in image.colors.enumerated() {
                let sigma = kind == .ycbcr && index > 0 ? radius / 2 : radius
                let result = blurred.planes[index].rows
                guard image.hasAlpha else {
                    let difference = largestDifference(result, referenceBlur(plane.rows, sigma: sigma))
                    #expect(difference <= tolerance, "\(width)×\(height)")
                    continue
                }
                let premultiplied = zip(plane.rows, image.opacity).map { zip($0, $1).map { $0 * $1 } }
                let expected = zip(referenceBlur(premultiplied, sigma: sigma), opacity).map {
                    zip($0, $1).map { $0 / max($1, 1e-9) }
                }
                for (y, row) in result.enumerated() {
                    for (x, value) in row.enumerated() where opacity[y][x] > 0.1 {
                        #expect(abs(value - expected[y][x]) <= 2 * tolerance)
                    }
                }
            }
            if image.hasAlpha {
                let alpha = blurred.opacity.map { $0.map { $0 * image.most } }
                let expected = opacity.map { $0.map { $0 * image.most } }
                #expect(largestDifference(alpha, expected) <= tolerance)
            }
        }
    }

    @Test func aRadiusOfZeroChangesNothing() throws {
        let image = try SampleKind.rgba.image(9, 4)
        #expect(try GaussianBlur(radius: 0).apply(to: image).rgba() == image.rgba())
    }

    @Test func aVeryLargeRadiusLeavesTheEdges() throws {
        // Far wider than the image: half of what shows is what goes on beyond each edge.
        let image = try Photographs.pattern(64, 8) { x, _ in x < 32 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
        let blurred = try GaussianBlur(radius: 1000).apply(to: image)
        #expect(try (123...132).contains(pixel(blurred, x: 0, y: 0)[0]))
        #expect(try (123...132).contains(pixel(blurred, x: 63, y: 7)[0]))
    }

    @Test(arguments: [-1.0, 1001, .nan, .infinity])
    func refusesOtherRadii(_ radius: Double) {
        let error = #expect(throws: ImagingError.self) {
            try GaussianBlur(radius: radius).outputSize(for: PixelSize(width: 1, height: 1))
        }
        #expect(error?.reason == .processing)
    }
}
