#if GIF
import Foundation
import Imaging
import TestSupport
import Testing

@Suite struct AnimationConversionTests {
    /// Forty frames of photographs' colours that move, as a GIF has them.
    private func source(_ frames: Int, size: Int = 24) -> Data {
        var animation = CraftedGIFAnimation(frames: [], loops: 2)
        for frame in 0..<frames {
            let indices = (0..<size * size).map { ($0 / 3 + $0 / size + frame) % 4 }
            let gif = CraftedGIF(
                screenWidth: size,
                screenHeight: size,
                width: size,
                height: size,
                indices: indices
            )
            animation.frames.append((gif, 4 + frame % 3, 1))
        }
        return animation.data
    }

    private func frames(of file: Data) throws -> [AnimationFrame] {
        var reader = try AnimationReader(file, header: ImageHeader.read(file))
        var frames: [AnimationFrame] = []
        while let frame = try reader.next() { frames.append(frame) }
        return frames
    }

    private func conversion(
        of source: Data,
        _ operations: [any ImageOperation] = [],
        as format: EncodingFormat = .webp()
    ) throws -> AnimationConversion {
        AnimationConversion(of: try ImageHeader.read(source), OperationChain(operations), as: format)
    }

    /// Returns the file that a conversion makes of its source.
    private func file(_ conversion: AnimationConversion, of source: Data, keeping: MetadataPolicy = .strip)
        throws -> Data
    {
        let header = try ImageHeader.read(source)
        let metadata = ImageMetadata(of: source, header, keeping: keeping, size: header.size)
        guard case .file(let file, _, _) = try conversion.run(on: source, metadata: metadata) else {
            throw ImagingError(.processing, "The file is larger than allowed.")
        }
        return file
    }

    @Test func framesAreProcessedAlike() throws {
        let source = source(7)
        let chain = OperationChain([
            Resize(width: 12), Rotate(degrees: 90, flip: .horizontal), Grayscale(),
        ])
        let made = try file(
            conversion(of: source, chain.operations, as: .webp(WebPOptions(lossless: true))),
            of: source
        )
        let header = try ImageHeader.read(made)
        #expect(header.format == .webp && header.size == PixelSize(width: 12, height: 12))
        #expect(header.animation?.frameCount == 7 && header.animation?.plays == 3)
        let (given, found) = (try frames(of: source), try frames(of: made))
        #expect(found.map(\.duration) == given.map(\.duration))
        for (given, found) in zip(given, found) {
            let expected = try chain.apply(to: given.image, originalSize: given.image.size)
            #expect(try expected.rgba() == found.image.rgba())
        }
    }

    @Test func transparencyStays() throws {
        var animation = CraftedGIFAnimation.plain([0, 1, 2])
        for index in animation.frames.indices {
            animation.frames[index].gif.transparent = 3
            animation.frames[index].gif.indices[5] = 3
            animation.frames[index].disposal = 2
        }
        let source = animation.data
        let made = try file(
            conversion(of: source, as: .webp(WebPOptions(lossless: true))),
            of: source
        )
        for (given, found) in zip(try frames(of: source), try frames(of: made)) {
            let pixels = [UInt8](try found.image.rgba())
            #expect(pixels[4 * 5 + 3] == 0 && pixels[3] == 255)
            #expect(try found.image.rgba()[0..<20] == given.image.rgba()[0..<20])
        }
    }

    @Test func boundsCut() throws {
        let source = source(10)
        var conversion = try conversion(of: source, as: .webp(WebPOptions(lossless: true)))
        conversion.maxFrames = 4
        #expect(try frames(of: file(conversion, of: source)).count == 4)
        conversion.maxFrames = nil
        // 40, 50, 60 and 40 ms: the fourth is cut to half.
        conversion.maxDuration = .milliseconds(170)
        #expect(
            try frames(of: file(conversion, of: source)).map(\.duration)
                == [40, 50, 60, 20].map { .milliseconds($0) }
        )
        // Browsers would show a rest of 10 ms for 100.
        conversion.maxDuration = .milliseconds(160)
        #expect(
            try frames(of: file(conversion, of: source)).map(\.duration)
                == [40, 50, 60].map { .milliseconds($0) }
        )
        conversion.maxDuration = .milliseconds(5)
        #expect(try ImageDecoder.decode(file(conversion, of: source)).size.area == 24 * 24)
    }

    /// A WebP states at most 4.66 hours of a frame, and a GIF at most 11 minutes.
    @Test func aFrameIsShownLongerThanAFileCanStateAtOnce() throws {
        var animation = CraftedPNGAnimation(width: 4, height: 4, frames: [])
        for (frame, seconds) in [1, 65_535, 2].enumerated() {
            let pixel = [UInt8](repeating: UInt8(255 - 90 * frame), count: 3) + [255]
            var shown = CraftedPNGAnimation.Frame(
                width: 4,
                height: 4,
                rgba: (0..<16).flatMap { _ in pixel }
            )
            (shown.numerator, shown.denominator) = (seconds, 1)
            animation.frames.append(shown)
        }
        let source = animation.data
        var formats = [EncodingFormat.webp(WebPOptions(lossless: true))]
        #if Palette
        formats.append(.gif())
        #endif
        for format in formats {
            let made = try file(conversion(of: source, as: format), of: source)
            #expect(try ImageHeader.read(made).animation?.duration == .seconds(65_538))
            let frames = try frames(of: made)
            #expect(frames.first?.duration == .seconds(1) && frames.last?.duration == .seconds(2))
        }
    }

    @Test func aFileIsMadeSmallerOrGivenUp() throws {
        // More colours than are stored without loss.
        var animation = CraftedPNGAnimation(width: 24, height: 24, frames: [])
        for frame in 0..<10 {
            let rgba = (0..<24 * 24).flatMap { index -> [UInt8] in
                let (x, y) = (index % 24, index / 24)
                return [UInt8(x * 10), UInt8(y * 10), UInt8((x * y + 20 * frame) % 256), 255]
            }
            animation.frames.append(CraftedPNGAnimation.Frame(width: 24, height: 24, rgba: rgba))
        }
        let source = animation.data
        var conversion = try conversion(
            of: source,
            [Resize(width: 48)],
            as: .webp(WebPOptions(quality: 95))
        )
        let own = try file(conversion, of: source).count
        #expect(own > 1000)
        guard case .file(_, let asked, _) = try conversion.run(on: source) else {
            throw ImagingError(.processing, "There is no file.")
        }
        conversion.mostBytes = own - 1
        guard case .file(let smaller, let lowered, _) = try conversion.run(on: source) else {
            throw ImagingError(.processing, "There is no smaller file.")
        }
        #expect(asked == 95 && smaller.count < own)
        #expect(lowered ?? 100 < 95)
        conversion.mostBytes = 100
        guard case .larger(let bytes) = try conversion.run(on: source) else {
            Issue.record("A hundred bytes hold ten frames.")
            return
        }
        #expect(bytes > 100 && bytes <= own)
        conversion.format = .webp(WebPOptions(quality: 95, maxBytes: 50))
        #expect(throws: ImagingError.self) { try conversion.run(on: source) }
    }

    @Test func whatDependsOnPixelsIsRefused() throws {
        let source = source(2)
        for operation in [Trim(), Crop.smart(width: 3, height: 3)] as [any ImageOperation] {
            let conversion = try conversion(of: source, [operation])
            #expect(throws: ImagingError.self) { try conversion.run(on: source) }
        }
        #expect(!Crop(width: 3, height: 3).isPlacedByPixels)
    }

    @Test func aFileWithMetadataStaysAnimated() throws {
        let source = source(5)
        let made = try file(conversion(of: source), of: source, keeping: .keep)
        #expect(try ImageHeader.read(made).animation?.frameCount == 5)
        #expect(made.range(of: Data("ICCP".utf8)) != nil)
    }

    @Test func aConversionEndsWhenAsked() throws {
        struct Stop: Error {}
        let source = source(10)
        var count = 0
        #expect(throws: Stop.self) {
            try conversion(of: source).run(on: source) {
                count += 1
                if count == 4 { throw Stop() }
            }
        }
        #expect(count == 4)
    }

    #if Palette
    /// Few colours stay as they are, in parts of frames and in what is cleared.
    @Test func aGIFOfAGIFShowsTheSame() throws {
        var random = SeededGenerator(seed: SeededGenerator.seed(of: "aGIFOfAGIFShowsTheSame"))
        for _ in 0..<150 {
            let (animation, shown) = CraftedGIFAnimation.random(using: &random)
            let made = try frames(
                of: file(conversion(of: animation.data, as: .gif()), of: animation.data)
            )
            #expect(made.count == shown.count)
            for (frame, expected) in zip(made, shown) {
                #expect(frame.duration == .milliseconds(50))
                let pixels = [UInt8](try frame.image.rgba())
                for (index, pixel) in expected.enumerated() {
                    let found = Array(pixels[4 * index..<4 * index + 4])
                    #expect(found == pixel || (found[3] == 0 && pixel[3] == 0))
                }
            }
        }
    }

    @Test func aGIFHasThePlaysAndColoursAskedFor() throws {
        let source = source(5)
        let made = try file(
            conversion(of: source, [Resize(width: 50)], as: .gif(GIFOptions(colors: 3))),
            of: source
        )
        let header = try ImageHeader.read(made)
        #expect(header.format == .gif && header.animation?.plays == 3 && header.animation?.frameCount == 5)
        // Delays are rounded to hundredths of a second, and here they are such.
        #expect(header.animation?.duration == (try ImageHeader.read(source).animation?.duration))
        for frame in try frames(of: made) {
            let pixels = [UInt8](try frame.image.rgba())
            let colors = Set(stride(from: 0, to: pixels.count, by: 4).map { Array(pixels[$0..<$0 + 4]) })
            // What earlier frames left is shown too.
            #expect(colors.count <= 3 * 5 && !colors.isEmpty)
        }
        for colors in [1, 257] {
            let conversion = try conversion(of: source, as: .gif(GIFOptions(colors: colors)))
            #expect(throws: ImagingError.self) { try file(conversion, of: source) }
        }
    }

    /// A GIF's times are hundredths of a second, and errors of rounding do not add up.
    @Test func aGIFRoundsTimesAndNotDelays() throws {
        var animation = CraftedPNGAnimation(width: 4, height: 4, frames: [])
        for frame in 0..<30 {
            var shown = CraftedPNGAnimation.Frame(
                width: 4,
                height: 4,
                rgba: (0..<16).flatMap { [UInt8](repeating: $0 < frame % 16 ? 255 : 0, count: 3) + [255] }
            )
            (shown.numerator, shown.denominator) = (33, 1000)
            animation.frames.append(shown)
        }
        let made = try file(conversion(of: animation.data, as: .gif()), of: animation.data)
        var (shown, exact) = (Duration.zero, Duration.zero)
        for frame in try frames(of: made) {
            shown += frame.duration
            exact += .milliseconds(33)
            #expect(abs((shown - exact) / .milliseconds(1)) <= 5, "\(shown) instead of \(exact)")
        }
        #expect(exact == .milliseconds(990))
    }

    @Test func aStillGIFIsThePicture() throws {
        let image = try ImageDecoder.decode(CraftedGIFAnimation.plain([2], size: 9).data)
        let made = try ImageEncoder.encode(image, as: .gif())
        #expect(try ImageHeader.read(made).animation == nil)
        #expect(try ImageDecoder.decode(made).rgba() == image.rgba())
        // More pixels than a table of codes has, in many colours.
        var rgba: [UInt8] = []
        for index in 0..<200 * 150 {
            let (red, green, blue) = (index % 256, index / 128 % 256, index % 251)
            rgba += [UInt8(red), UInt8(green), UInt8(blue), 255]
        }
        let noisy = try Image(width: 200, height: 150, rgba: Data(rgba))
        let read = try ImageDecoder.decode(ImageEncoder.encode(noisy, as: .gif()))
        #expect(read.size == noisy.size && read.warnings.isEmpty)
        let (first, second) = ([UInt8](try noisy.rgba()), [UInt8](try read.rgba()))
        var sum = 0
        for (one, other) in zip(first, second) { sum += abs(Int(one) - Int(other)) }
        #expect(sum / first.count < 12)
    }
    #endif

    @Test func otherFormatsAreRefused() throws {
        let source = source(2)
        #expect(throws: ImagingError.self) {
            try file(conversion(of: source, as: .png()), of: source)
        }
    }

    /// The same bytes each time, whatever was encoded before.
    @Test func filesAreReproducible() throws {
        let source = source(6)
        let conversion = try conversion(of: source, [Resize(width: 20)])
        #expect(try file(conversion, of: source) == file(conversion, of: source))
    }
}
#endif
