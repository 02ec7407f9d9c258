import Foundation
import Imaging
import Testing

@Suite struct ImageEncoderTests {
    private func channels(_ model: ColorModel, alpha: Bool) throws -> Image {
        let image =
            alpha ? try Photographs.gradient(37, 23, alpha: true) : try Photographs.opaqueGradient(37, 23)
        return model == .gray ? try Grayscale().apply(to: image) : image
    }

    @Test(arguments: [ColorModel.gray, .rgb], [false, true])
    func pngKeepsEveryPixel(_ model: ColorModel, _ alpha: Bool) throws {
        let image = try channels(model, alpha: alpha)
        for compression in [1, 4, 9] {
            let file = try ImageEncoder.encode(image, as: .png(PNGOptions(compression: compression)))
            let decoded = try ImageDecoder.decode(file)
            #expect(decoded.colorModel == model)
            #expect(decoded.hasAlpha == alpha)
            #expect(try decoded.rgba() == image.rgba())
        }
    }

    @Test func pngIsAboutAsSmallAsItsSource() throws {
        for name in ["astronaut.png", "coffee.png"] {
            let source = try Photographs.data(name)
            let file = try ImageEncoder.encode(
                try ImageDecoder.decode(source),
                as: .png(PNGOptions(compression: 6))
            )
            #expect(Double(file.count) < Double(source.count) * 1.1)
        }
    }

    @Test(arguments: [false, true])
    func losslessWebPKeepsEveryPixel(_ alpha: Bool) throws {
        let image = try channels(.rgb, alpha: alpha)
        let file = try ImageEncoder.encode(image, as: .webp(WebPOptions(lossless: true)))
        #expect(try ImageDecoder.decode(file).rgba() == image.rgba())
    }

    @Test func lossyFormatsAreClose() throws {
        let photo = try Photographs.image("coffee.png")
        for format: EncodingFormat in [.webp(WebPOptions(quality: 90)), .jpeg(JPEGOptions(quality: 90))] {
            let file = try ImageEncoder.encode(photo, as: format)
            #expect(try psnr(try ImageDecoder.decode(file), photo) > 33)
            #expect(try ImageHeader.read(file).format == format.imageFormat)
        }
    }

    @Test func alphaIsLaidOverTheBackground() throws {
        let image = try Photographs.pattern(16, 16) { _, _ in [200, 0, 100, 64] }
        let options = JPEGOptions(quality: 100, subsampling: .s444)
        let expected: [(RGBColor, [Int])] = [
            (.white, [241, 191, 216, 255]), (.black, [50, 0, 25, 255]),
            (RGBColor(red: 0, green: 255, blue: 0), [50, 191, 25, 255]),
        ]
        for (background, color) in expected {
            let file = try ImageEncoder.encode(image, as: .jpeg(options), background: background)
            let found = try pixel(try ImageDecoder.decode(file), x: 8, y: 8)
            #expect(zip(found, color).allSatisfy { abs($0 - $1) <= 2 }, "\(found)")
        }
        let gray = try Grayscale().apply(to: image)
        let green = RGBColor(red: 0, green: 255, blue: 0)
        #expect(try ImageHeader.read(try ImageEncoder.encode(gray, as: .jpeg())).colorModel == .gray)
        let tinted = try ImageEncoder.encode(gray, as: .jpeg(), background: green)
        #expect(try ImageHeader.read(tinted).colorModel == .ycbcr)
    }

    /// The planes' short way from JPEG to JPEG against the long one by RGB.
    @Test(arguments: ["rocket.jpg", "hubble_deep_field.jpg"], ChromaSubsampling.allCases)
    func planesGiveWhatRGBGives(_ name: String, _ subsampling: ChromaSubsampling) throws {
        let image = try Photographs.image(name)
        let resize = Resize(width: 201)
        let format = EncodingFormat.jpeg(JPEGOptions(quality: 95, subsampling: subsampling))
        let chain = OperationChain([resize])
        let short = try ImageEncoder.encode(
            try chain.apply(to: image, originalSize: image.size, for: format),
            as: format
        )
        let rgb = try Image(width: image.size.width, height: image.size.height, rgba: try image.rgba())
        let long = try ImageEncoder.encode(try resize.apply(to: rgb), as: format)
        #expect(try psnr(try ImageDecoder.decode(short), try ImageDecoder.decode(long)) > 35)
    }

    @Test func equalInputGivesEqualBytes() throws {
        let photo = try Photographs.image("chelsea.png")
        for format: EncodingFormat in [.jpeg(), .jpeg(JPEGOptions(progressive: true)), .png(), .webp()] {
            #expect(try ImageEncoder.encode(photo, as: format) == ImageEncoder.encode(photo, as: format))
        }
    }

    @Test func refusesSettingsOutOfRange() throws {
        let image = try Photographs.gradient(4, 4)
        for format: EncodingFormat in [
            .jpeg(JPEGOptions(quality: 0)), .jpeg(JPEGOptions(quality: 101)),
            .png(PNGOptions(compression: 10)),
            .webp(WebPOptions(quality: -1)), .webp(WebPOptions(effort: 7)),
        ] {
            let error = #expect(throws: ImagingError.self) { try ImageEncoder.encode(image, as: format) }
            #expect(error?.reason == .processing)
        }
        let long = try Image(width: 16_384, height: 1, rgba: Data(count: 16_384 * 4))
        let error = #expect(throws: ImagingError.self) { try ImageEncoder.encode(long, as: .webp()) }
        #expect(error?.reason == .limits)
    }

    @Test func namesLibraryVersions() {
        for format: EncodingFormat in [.jpeg(), .png(), .png(PNGOptions(palette: true)), .webp()] {
            #expect(ImageEncoder.version(of: format).hasPrefix("lib"))
            #expect(ImageEncoder.version(of: format).contains("."))
        }
    }
}
