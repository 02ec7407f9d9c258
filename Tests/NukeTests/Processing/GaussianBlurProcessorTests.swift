import Foundation
import Imaging
import Nuke
import Testing

@Suite("ImageProcessors.GaussianBlur")
struct GaussianBlurProcessorTests {
    @Test func aRadiusOfZeroOrLessGivesTheSameImage() {
        let image = MadeImages.plain(8, 8)
        for radius in [0, -1, Int.min] {
            #expect(ImageProcessors.GaussianBlur(radius: radius).process(image) === image)
        }
        #expect(ImageProcessors.GaussianBlur(radius: 1).process(image) !== image)
        #expect(ImageProcessors.GaussianBlur().process(PlatformImage()) == nil)
    }

    /// Kernels of floor(r × 3 × sqrt(2π) / 4 + 0.5), made odd: 3 for 1, 5 for 2, 15 for 8, and three of them.
    @Test(arguments: [(1, 3), (2, 5), (3, 7), (4, 9), (8, 15)])
    func spreadsAsFarAsThreeBoxes(radius: Int, kernel: Int) throws {
        let middle = 60
        let image = MadeImages.pattern(121, 3) { x, _ in x == middle ? [255, 255, 255, 255] : [0, 0, 0, 255] }
        let blurred = try #require(ImageProcessors.GaussianBlur(radius: radius).process(image))
        // Three boxes in a row, as numbers.
        var expected = (0..<121).map { $0 == middle ? 255.0 : 0 }
        for _ in 0..<3 {
            let before = expected
            for x in expected.indices {
                expected[x] =
                    (x - kernel / 2...x + kernel / 2).reduce(0) { $0 + before[min(max($1, 0), 120)] }
                    / Double(kernel)
            }
        }
        for x in 0..<121 { #expect(abs(Double(blurred.pixel(x, 1)[0]) - expected[x]) <= 0.6, "\(x)") }
        // The control: another kernel would be seen.
        #expect(blurred.pixel(middle, 1)[0] != Int((255 / Double(kernel)).rounded()))
    }

    @Test func keepsSizeFormatAndPlainColours() throws {
        let photo = try MadeImages.photo(64, 48)
        let blurred = try #require(ImageProcessors.GaussianBlur().process(photo))
        #expect(blurred.pixelSize == photo.pixelSize && blurred.isOpaque)
        #expect(blurred != photo)
        let plain = MadeImages.plain(20, 20)
        #expect(ImageProcessors.GaussianBlur(radius: 100).process(plain) == plain)
        #expect(ImageProcessors.GaussianBlur(radius: .max).process(plain) == plain)
    }

    @Test func isIdentifiedByItsRadius() {
        #expect(ImageProcessors.GaussianBlur().identifier == "com.github.kean/nuke/gaussian_blur?radius=8")
        #expect(ImageProcessors.GaussianBlur().description == "GaussianBlur(radius: 8)")
        let one = ImageProcessors.GaussianBlur(radius: 2)
        #expect(one == .init(radius: 2) && one != .init(radius: 3))
        // None of these changes anything, so they share one key.
        let none = ImageProcessors.GaussianBlur(radius: 0)
        #expect(
            none == .init(radius: -8)
                && none.identifier == ImageProcessors.GaussianBlur(radius: -8).identifier
        )
        #expect(one.hashableIdentifier == ImageProcessors.GaussianBlur(radius: 2).hashableIdentifier)
        #expect(one.hashableIdentifier != ImageProcessors.GaussianBlur(radius: 3).hashableIdentifier)
        let named: any ImageProcessing = .gaussianBlur(radius: 2)
        #expect(named.identifier == one.identifier)
    }
}
