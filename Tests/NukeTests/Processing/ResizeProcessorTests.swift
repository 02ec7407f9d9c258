import Foundation
import Imaging
import Nuke
import Testing

@Suite("ImageProcessors.Resize")
struct ResizeProcessorTests {
    private typealias Resize = ImageProcessors.Resize

    private func square(_ side: CGFloat) -> CGSize { CGSize(width: side, height: side) }

    private func size(_ processor: Resize, of image: PlatformImage) -> String {
        processor.process(image).map { "\($0.width)×\($0.height)" } ?? "nil"
    }

    @Test func keepsTheProportions() throws {
        let photo = try MadeImages.photo()
        #expect(size(Resize(size: square(400)), of: photo) == "533×400")
        #expect(size(Resize(size: square(400), unit: .pixels), of: photo) == "533×400")
        #expect(size(Resize(size: square(480), contentMode: .aspectFit), of: photo) == "480×360")
        #expect(size(Resize(size: square(480), contentMode: .aspectFit, crop: true), of: photo) == "480×360")
        #expect(size(Resize(width: 320), of: photo) == "320×240")
        #expect(size(Resize(height: 300), of: photo) == "400×300")
        #expect(size(Resize(size: square(1), contentMode: .aspectFit), of: photo) == "1×1")
        let tall = MadeImages.plain(100, 200)
        #expect(size(Resize(size: square(50)), of: tall) == "50×100")
        #expect(size(Resize(size: square(50), contentMode: .aspectFit), of: tall) == "25×50")
        #expect(size(Resize(width: 5), of: MadeImages.plain(10, 30_000)) == "5×15000")
        #expect(size(Resize(height: 5), of: MadeImages.plain(30_000, 10)) == "15000×5")
    }

    @Test func givesTheSameImageWhereNothingIsToBeDone() throws {
        let photo = try MadeImages.photo()
        let whole = CGSize(width: 640, height: 480)
        let processors = [
            Resize(size: square(960)), Resize(size: square(960), contentMode: .aspectFit),
            Resize(width: 1280),
            Resize(height: 480), Resize(size: whole), Resize(size: whole, contentMode: .aspectFit),
            Resize(size: whole, crop: true), Resize(size: CGSize(width: 1000, height: 100)),
            Resize(size: CGSize(width: 1280, height: 960), crop: true), Resize(size: whole, upscale: true),
        ]
        for processor in processors { #expect(processor.process(photo) === photo, "\(processor)") }
        #expect(Resize(width: 639).process(photo) !== photo)
    }

    @Test func enlargesWhenAsked() throws {
        let photo = try MadeImages.photo()
        #expect(size(Resize(size: square(960), upscale: true), of: photo) == "1280×960")
        #expect(size(Resize(height: 960, upscale: true), of: photo) == "1280×960")
        #expect(size(Resize(width: 1280, upscale: true), of: photo) == "1280×960")
        #expect(size(Resize(size: square(960), crop: true, upscale: true), of: photo) == "960×960")
    }

    @Test func cutsWhatStandsOut() throws {
        let photo = try MadeImages.photo()
        #expect(size(Resize(size: square(400), crop: true), of: photo) == "400×400")
        #expect(size(Resize(size: square(960), crop: true), of: photo) == "480×480")
        #expect(size(Resize(size: CGSize(width: 1000, height: 100), crop: true), of: photo) == "640×64")
        #expect(size(Resize(size: square(500), crop: true), of: MadeImages.plain(100, 200)) == "100×100")
        #expect(size(Resize(size: square(1), crop: true), of: photo) == "1×1")
        // Of three stripes the middle one is left, either way.
        func stripe(_ position: Int) -> [UInt8] {
            [
                position / 200 == 0 ? 255 : 0, position / 200 == 1 ? 255 : 0, position / 200 == 2 ? 255 : 0,
                255,
            ]
        }
        for image in [
            MadeImages.pattern(600, 200) { x, _ in stripe(x) },
            MadeImages.pattern(200, 600) { _, y in stripe(y) },
        ] {
            let middle = try #require(Resize(size: square(100), crop: true).process(image))
            for (x, y) in [(10, 10), (50, 50), (90, 90), (10, 90)] {
                #expect(middle.pixel(x, y) == [0, 255, 0, 255])
            }
        }
    }

    @Test func keepsThePixelFormat() throws {
        let opaque = try #require(Resize(width: 32).process(try MadeImages.photo(64, 48)))
        #expect(opaque.isOpaque)
        let square = MadeImages.pattern(80, 80) { x, y in
            (20..<60).contains(x) && (20..<60).contains(y) ? [0, 0, 255, 255] : [0, 0, 0, 0]
        }
        let small = try #require(Resize(width: 40).process(square))
        #expect(!small.isOpaque)
        #expect(small.pixel(1, 1)[3] == 0)
        #expect(small.pixel(20, 20) == [0, 0, 255, 255])
    }

    @Test func makesNothingOfATargetWithoutMeaning() throws {
        let photo = try MadeImages.photo(64, 48)
        let values: [CGFloat] = [0, -0.0, -400, .nan, .infinity, -.infinity]
        for value in values {
            for size in [
                square(value), CGSize(width: 40, height: value), CGSize(width: value, height: 40),
            ] {
                for crop in [false, true] {
                    for upscale in [false, true] {
                        let processor = Resize(size: size, crop: crop, upscale: upscale)
                        #expect(processor.process(photo) == nil, "\(processor)")
                    }
                }
            }
            #expect(Resize(width: value).process(photo) == nil)
            #expect(Resize(height: value).process(photo) == nil)
        }
        for huge in [1e6, 1e10, 1e300, CGFloat.greatestFiniteMagnitude] {
            #expect(Resize(size: square(huge), upscale: true).process(photo) == nil)
            #expect(Resize(width: huge, upscale: true).process(photo) == nil)
            #expect(Resize(size: square(huge), crop: true, upscale: true).process(photo) == nil)
            #expect(Resize(width: huge).process(photo) === photo)
        }
        #expect(Resize(width: 10).process(PlatformImage()) == nil)
        #expect(Resize(size: square(10), crop: true).process(PlatformImage()) == nil)
        #expect(Resize(size: square(0.2)).process(photo) != nil)
    }

    @Test func aFailureIsAProcessingError() throws {
        let container = ImageContainer(image: try MadeImages.photo(64, 48))
        let request: ImageRequest = "http://h/a"
        let context = ImageProcessingContext(
            request: request,
            response: ImageResponse(container: container, request: request),
            isCompleted: true
        )
        #expect(throws: ImageProcessingError.unknown) {
            try Resize(width: 0).process(container, context: context)
        }
        var told = container
        told.type = .png
        told.isPreview = true
        let small = try Resize(width: 32).process(told, context: context)
        #expect(small.image.width == 32 && small.type == .png && small.isPreview)
    }

    @Test func isIdentifiedByItsParameters() {
        let prefix = "com.github.kean/nuke/resize?s="
        #expect(
            Resize(size: square(30)).identifier
                == prefix + "(30.0, 30.0),cm=.aspectFill,crop=false,upscale=false"
        )
        #expect(
            Resize(width: 320).identifier == prefix + "(320.0, 9999.0),cm=.aspectFit,crop=false,upscale=false"
        )
        #expect(
            Resize(height: 240, upscale: true).identifier
                == prefix + "(9999.0, 240.0),cm=.aspectFit,crop=false,upscale=true"
        )
        #expect(
            Resize(size: CGSize(width: 30, height: 40.5), crop: true).identifier
                == prefix + "(30.0, 40.5),cm=.aspectFill,crop=true,upscale=false"
        )
        #expect(
            Resize(size: square(30), contentMode: .aspectFit).description
                == "Resize(size: (30.0, 30.0) pixels, contentMode: .aspectFit, crop: false, upscale: false)"
        )
    }

    @Test func comparesByItsParameters() {
        let one = Resize(size: square(30), unit: .pixels)
        #expect(one == Resize(size: square(30), unit: .points))
        #expect(one.hashableIdentifier == Resize(size: square(30)).hashableIdentifier)
        let others = [
            Resize(size: square(31)), Resize(size: square(30), contentMode: .aspectFit),
            Resize(size: square(30), crop: true), Resize(size: square(30), upscale: true), Resize(width: 30),
            Resize(height: 30),
        ]
        #expect(Set(others + [one]).count == others.count + 1)
        #expect(Set((others + [one]).map(\.hashableIdentifier)).count == others.count + 1)
        #expect(Set((others + [one]).map(\.identifier)).count == others.count + 1)
        let named: [any ImageProcessing] = [
            .resize(size: square(30)), .resize(width: 30), .resize(height: 30),
        ]
        #expect(named.map(\.identifier) == [one, Resize(width: 30), Resize(height: 30)].map(\.identifier))
    }
}
