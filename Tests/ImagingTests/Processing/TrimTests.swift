import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct TrimTests {
    /// A colour with a rectangle of noise in it, whose corners differ from the colour.
    private func framed(x: Int, y: Int, width: Int, height: Int) throws -> Image {
        var generator = SeededGenerator(seed: 3)
        return try Photographs.pattern(31, 23) { column, row in
            let isInside = (x..<x + width).contains(column) && (y..<y + height).contains(row)
            let near = UInt8(200 + Int.random(in: -5...5, using: &generator))
            return isInside ? [UInt8(column), UInt8(row), 7, 255] : [near, near, near, 255]
        }
    }

    @Test(arguments: [(3, 5, 20, 10), (0, 0, 31, 23), (30, 22, 1, 1), (0, 10, 31, 1), (7, 0, 1, 23)])
    func keepsWhatDiffers(x: Int, y: Int, width: Int, height: Int) throws {
        let result = try Trim().apply(to: try framed(x: x, y: y, width: width, height: height))
        guard width < 31 || height < 23 else {
            #expect(result.size == PixelSize(width: 31, height: 23))
            return
        }
        guard (x, y) != (0, 0) else { return }
        #expect(result.size == PixelSize(width: width, height: height))
        #expect(try pixel(result, x: 0, y: 0) == [x, y, 7, 255])
    }

    @Test(arguments: [SampleKind.gray, .rgb, .rgba, .gray16, .rgba16])
    func findsABorderOfEachKind(_ kind: SampleKind) throws {
        let image = try kind.image(13, 9)
        let padded = try Pad(width: 20, height: 15, gravity: .northEast, background: .black).apply(to: image)
        let result = try Trim(tolerance: 0).apply(to: padded)
        #expect(result.size == image.size)
        #expect(try result.rgba() == image.rgba())
        #expect(result.bitDepth == image.bitDepth)
    }

    @Test func aJPEGLosesItsBorder() throws {
        let photo = try Photographs.image("rocket.jpg")
        let padded = try Pad(
            width: photo.size.width + 60,
            height: photo.size.height + 40,
            background: Color(red: 255, green: 0, blue: 0)
        ).apply(to: photo)
        let file = try ImageEncoder.encode(padded, as: .jpeg(JPEGOptions(quality: 90)))
        let result = try Trim(tolerance: 40).apply(to: try ImageDecoder.decode(file))
        #expect(result.colorModel == .ycbcr)
        #expect(abs(result.size.width - photo.size.width) <= 4)
        #expect(abs(result.size.height - photo.size.height) <= 4)
    }

    @Test func aTransparentBorderIsOneWhateverItHides() throws {
        let image = try Photographs.pattern(12, 12) { x, y in
            (4..<9).contains(x) && (2..<5).contains(y)
                ? [0, 0, 0, 255] : [UInt8(x * 20), UInt8(y * 20), 99, 0]
        }
        #expect(try Trim().apply(to: image).size == PixelSize(width: 5, height: 3))
    }

    @Test func oneColourStays() throws {
        for image in [
            try SampleKind.rgb.image(1, 1), try Photographs.pattern(5, 4) { _, _ in [9, 9, 9, 255] },
            try Photographs.pattern(5, 4) { x, _ in [UInt8(x), 0, 0, 0] },
        ] {
            #expect(try Trim().apply(to: image).size == image.size)
        }
    }

    @Test func theToleranceIsTheLargestDifferenceOfABorder() throws {
        let image = try Photographs.pattern(8, 8) { x, _ in [x == 5 ? 110 : 100, 100, 100, 255] }
        #expect(try Trim(tolerance: 10).apply(to: image).size.width == 8)
        #expect(try Trim(tolerance: 9).apply(to: image).size == PixelSize(width: 1, height: 8))
        #expect(throws: ImagingError.self) { try Trim(tolerance: 256).apply(to: image) }
    }

    @Test func whatComesAfterReckonsWithWhatIsLeft() throws {
        let photo = try Flatten().apply(to: try Photographs.pattern(300, 200) { _, _ in [0, 0, 0, 255] })
        let padded = try Pad(width: 500, height: 500).apply(to: photo)
        let chain = OperationChain([Trim(), Rotate(degrees: 90), Resize(width: 100, upscale: true), Trim()])
        #expect(try chain.coveringSize(for: padded.size) == nil)
        let result = try chain.apply(to: padded, originalSize: padded.size)
        #expect(result.size == PixelSize(width: 100, height: 150))
        let resized = OperationChain([Resize(width: 50), Trim()])
        #expect(try resized.coveringSize(for: padded.size) == PixelSize(width: 50, height: 50))
        // A result that is too large by what it could be at most is no reason to refuse what it is.
        var limits = ImageLimits()
        limits.maxPixels = 260_000
        let upscaled = OperationChain([Trim(), Resize(width: 600, upscale: true)], limits: limits)
        #expect(try upscaled.coveringSize(for: padded.size) == nil)
        #expect(
            try upscaled.apply(to: padded, originalSize: padded.size).size
                == PixelSize(width: 600, height: 400)
        )
    }
}
