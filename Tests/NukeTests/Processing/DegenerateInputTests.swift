import Foundation
import Nuke
import Testing

/// No number makes a processor crash, and none that means nothing makes an image.
@Suite("Processors bear any number", .serialized)
struct DegenerateInputTests {
    private static let numbers: [CGFloat] = [
        0, -1, -0.0, .nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e308,
        -1e308,
        9_223_372_036_854_775_807, 4_294_967_296, 0.49, 0.5,
    ]

    private static let file = try? MadeImages.file(40, 30)
    // Small ones, and one test at a time: these tests hold the threads that all others share.
    private let images = [
        MadeImages.plain(1, 1), MadeImages.plain(1, 9), MadeImages.plain(7, 5), PlatformImage(),
    ]

    @Test(arguments: numbers)
    func resize(number: CGFloat) {
        for image in images {
            for other in [number, 5] {
                for mode in [ImageProcessingOptions.ContentMode.aspectFill, .aspectFit] {
                    for flags in [(false, false), (true, false), (false, true), (true, true)] {
                        let size = CGSize(width: number, height: other)
                        let resize = ImageProcessors.Resize(
                            size: size,
                            unit: .pixels,
                            contentMode: mode,
                            crop: flags.0,
                            upscale: flags.1
                        )
                        let made = resize.process(image)
                        if !(number > 0 && number.isFinite) || image.width == 0 { #expect(made == nil) }
                        if let made { #expect(made.width > 0 && made.height > 0) }
                        #expect(resize.identifier == resize.identifier && !resize.description.isEmpty)
                    }
                }
            }
            _ = ImageProcessors.Resize(width: number, upscale: true).process(image)
            _ = ImageProcessors.Resize(height: number, upscale: true).process(image)
        }
    }

    /// Half of the least number is none.
    @Test(arguments: numbers.filter { $0 != .leastNonzeroMagnitude })
    func cornersAndBorders(number: CGFloat) {
        let border = ImageProcessingOptions.Border(color: .red, width: number, unit: .pixels)
        let isMeaningful = number >= 0 && number.isFinite
        for image in images {
            let all: [(any ImageProcessing, Bool)] = [
                (.roundedCorners(radius: number), isMeaningful),
                (.roundedCorners(radius: 1, border: border), isMeaningful),
                (.circle(border: border), isMeaningful),
            ]
            for (processor, isMade) in all where image.width > 0 && isMade {
                #expect(processor.process(image) != nil, "\(processor.identifier)")
            }
            for (processor, isMade) in all where image.width == 0 || !isMade {
                #expect(processor.process(image) == nil, "\(processor.identifier)")
            }
        }
        #expect(border.description.hasPrefix("Border(color: #FF0000, width: "))
    }

    @Test(arguments: [Int.min, -1, 0, 1, 8, 1_000_000, .max])
    func blur(radius: Int) {
        let blur = ImageProcessors.GaussianBlur(radius: radius)
        for image in images {
            let made = blur.process(image)
            if radius <= 0 { #expect(made === image) }
            if radius > 0 { #expect((made != nil) == (image.width > 0)) }
        }
        #expect(blur.identifier == "com.github.kean/nuke/gaussian_blur?radius=\(max(radius, 0))")
    }

    @Test(arguments: numbers)
    func thumbnailsAndColours(number: CGFloat) throws {
        let file = try #require(Self.file)
        let thumbnail = ImageRequest.ThumbnailOptions(maxPixelSize: number).makeThumbnail(with: file)
        if !(number > 0) || number == .infinity { #expect(thumbnail == nil || number == .infinity) }
        let size = CGSize(width: number, height: 10)
        _ = ImageRequest.ThumbnailOptions(size: size, contentMode: .aspectFit).makeThumbnail(with: file)
        let color = PlatformColor(red: number, green: number, blue: number, alpha: number)
        let text = ImageProcessingOptions.Border(color: color).description
        #expect(text.hasPrefix("Border(color: #") && text.hasSuffix(", width: 1.0 pixels)"))
    }
}
