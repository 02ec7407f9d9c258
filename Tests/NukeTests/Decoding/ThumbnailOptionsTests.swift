import Foundation
import Imaging
import Nuke
import TestSupport
import Testing

@Suite("ThumbnailOptions")
struct ThumbnailOptionsTests {
    private typealias Options = ImageRequest.ThumbnailOptions

    private func size(_ options: ImageRequest.ThumbnailOptions, of file: Data) -> PixelSize? {
        options.makeThumbnail(with: file)?.pixelSize
    }

    @Test func aLongestSideIsKept() throws {
        let file = try MadeImages.file()
        #expect(size(.init(maxPixelSize: 400), of: file) == PixelSize(width: 400, height: 300))
        #expect(size(.init(maxPixelSize: 1), of: file) == PixelSize(width: 1, height: 1))
        let tall = try MadeImages.file(300, 800)
        #expect(size(.init(maxPixelSize: 80), of: tall) == PixelSize(width: 30, height: 80))
    }

    @Test func aSizeIsFilledOrFittedInto() throws {
        let file = try MadeImages.file()
        let square = CGSize(width: 400, height: 400)
        #expect(size(.init(size: square), of: file) == PixelSize(width: 533, height: 400))
        #expect(size(.init(size: square, unit: .pixels), of: file) == PixelSize(width: 533, height: 400))
        #expect(
            size(.init(size: square, contentMode: .aspectFit), of: file) == PixelSize(width: 400, height: 300)
        )
        let wide = try MadeImages.file(640, 360, as: .png())
        #expect(
            size(.init(size: CGSize(width: 180, height: 180)), of: wide) == PixelSize(width: 320, height: 180)
        )
        let fit = Options(size: CGSize(width: 160, height: 160), contentMode: .aspectFit)
        #expect(size(fit, of: wide) == PixelSize(width: 160, height: 90))
        // Both sides cover the target, whichever is the tighter one.
        #expect(
            size(.init(size: CGSize(width: 320, height: 10)), of: wide) == PixelSize(width: 320, height: 180)
        )
        #expect(
            size(.init(size: CGSize(width: 10, height: 90)), of: wide) == PixelSize(width: 160, height: 90)
        )
    }

    @Test func isNeverLargerThanTheImage() throws {
        let file = try MadeImages.file(64, 48)
        let whole = PixelSize(width: 64, height: 48)
        #expect(size(.init(maxPixelSize: 65), of: file) == whole)
        #expect(size(.init(size: CGSize(width: 500, height: 10)), of: file) == whole)
        #expect(
            size(.init(size: CGSize(width: 500, height: 500), contentMode: .aspectFit), of: file) == whole
        )
        #expect(Options(maxPixelSize: 1e300).makeThumbnail(with: file) == PlatformImage(data: file))
    }

    @Test func isTurnedUprightUnlessTheFlagSaysNo() throws {
        var exif = EXIFData()
        exif.main = [0x0112: .short(6)]
        let file = EXIFData.embed(exif.data, in: try MadeImages.file())
        var options = Options(size: CGSize(width: 120, height: 1000), contentMode: .aspectFit)
        #expect(size(options, of: file) == PixelSize(width: 120, height: 160))
        options.createThumbnailWithTransform = false
        #expect(size(options, of: file) == PixelSize(width: 120, height: 90))
        let plain = try #require(options.makeThumbnail(with: try MadeImages.file()))
        #expect(options.makeThumbnail(with: file) == plain)
    }

    @Test func oneMustBeAskedFor() throws {
        let file = try MadeImages.file(64, 48)
        var options = Options(maxPixelSize: 32)
        options.createThumbnailFromImageAlways = false
        #expect(options.makeThumbnail(with: file) != nil)
        options.createThumbnailFromImageIfAbsent = false
        #expect(options.makeThumbnail(with: file) == nil)
        options.createThumbnailFromImageAlways = true
        #expect(options.makeThumbnail(with: file) != nil)
    }

    @Test(arguments: [0, -4, CGFloat.nan, .infinity, -.infinity])
    func whatIsNoSizeMakesNone(_ side: CGFloat) throws {
        let file = try MadeImages.file(64, 48)
        #expect(Options(maxPixelSize: side).makeThumbnail(with: file) == nil)
        for size in [CGSize(width: side, height: 10), CGSize(width: 10, height: side)] {
            #expect(Options(size: size).makeThumbnail(with: file) == nil)
        }
    }

    @Test func whatIsNoImageMakesNone() throws {
        #expect(Options(maxPixelSize: 9).makeThumbnail(with: Data("text".utf8)) == nil)
        #expect(Options(maxPixelSize: 9).makeThumbnail(with: try MadeImages.file(64, 48).dropLast(40)) == nil)
    }

    @Test func showsTheSamePicture() throws {
        let file = try MadeImages.file(999, 871)
        let thumbnail = try #require(Options(maxPixelSize: 90).makeThumbnail(with: file)?.rgba)
        let image = try #require(PlatformImage(data: file))
        let resized = try #require(ImageProcessors.Resize(width: 90).process(image)?.rgba)
        #expect(thumbnail.count == resized.count)
        let sum = zip(thumbnail, resized).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(sum < 6 * resized.count)
    }

    @Test func keysTellItsParameters() {
        func key(_ options: ImageRequest.ThumbnailOptions) -> String {
            var request: ImageRequest = "a"
            request.thumbnail = options
            return ImagePipeline(configuration: .init(dataLoader: CurlDataLoader())).cache
                .makeDataCacheKey(for: request)
        }
        let prefix = "com.github/kean/nuke/thumbnail?"
        #expect(
            key(.init(maxPixelSize: 400)).hasSuffix(prefix + "maxPixelSize=400.0,options=truetruetruetrue")
        )
        let size = CGSize(width: 400, height: 400)
        #expect(
            key(.init(size: size, unit: .pixels, contentMode: .aspectFit)).hasSuffix(
                prefix + "width=400.0,height=400.0,contentMode=.aspectFit,options=truetruetruetrue"
            )
        )
        var options = ImageRequest.ThumbnailOptions(maxPixelSize: 400)
        options.createThumbnailFromImageAlways = false
        #expect(key(options).hasSuffix("options=truefalsetruetrue"))
        #expect(options != .init(maxPixelSize: 400))
    }
}
