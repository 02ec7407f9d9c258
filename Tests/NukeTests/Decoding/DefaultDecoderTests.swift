import Foundation
import Imaging
import Nuke
import TestSupport
import Testing

@Suite("ImageDecoders.Default")
struct DefaultDecoderTests {
    private func decoder(
        _ change: (inout ImageRequest) -> Void = { _ in },
        isCompleted: Bool = true,
        policy: ImagePipeline.PreviewPolicy = .incremental
    ) throws -> ImageDecoders.Default {
        var request: ImageRequest = "http://h/a"
        change(&request)
        var context = ImageDecodingContext(request: request, data: Data(), isCompleted: isCompleted)
        context.previewPolicy = policy
        return try #require(ImageDecoders.Default(context: context))
    }

    @Test func tellsTheTypeAndAttachesNoData() throws {
        let files: [(AssetType, Data)] = [
            (.jpeg, try MadeImages.file(64, 48)), (.png, try Repository.photo("chelsea.png")),
            (.webp, try MadeImages.file(64, 48, as: .webp())),
        ]
        for (type, file) in files {
            let container = try ImageDecoders.Default().decode(file)
            #expect(container.type == type)
            #expect(container.data == nil)
            #expect(!container.isPreview)
            #expect(container.userInfo.isEmpty)
            #expect(container.image == PlatformImage(data: file))
        }
    }

    @Test func readsIcons() throws {
        let picture = try MadeImages.file(32, 32, as: .png())
        let size = withUnsafeBytes(of: UInt32(picture.count).littleEndian) { Data($0) }
        let icon =
            Data([0, 0, 1, 0, 1, 0, 32, 32, 0, 0, 1, 0, 32, 0]) + size + Data([22, 0, 0, 0]) + picture
        let container = try ImageDecoders.Default().decode(icon)
        #expect(container.type == .ico && container.data == nil && container.userInfo.isEmpty)
        #expect(container.image == PlatformImage(data: picture))
    }

    #if GIF
    @Test func attachesTheDataOfAGIF() throws {
        let container = try ImageDecoders.Default().decode(MadeGIF.data)
        #expect(container.type == .gif)
        #expect(container.data == MadeGIF.data)
        #expect(container.userInfo.isEmpty)
    }
    #endif

    @Test func worksOnTheDecodingQueue() throws {
        #expect(ImageDecoders.Default().isAsynchronous)
        #expect(try decoder { $0.thumbnail = .init(maxPixelSize: 10) }.isAsynchronous)
    }

    @Test func throwsForWhatIsNoImage() throws {
        for data in [Data(), Data("text".utf8), try MadeImages.file(64, 48).dropLast(50)] {
            #expect(throws: ImageDecodingError.unknown) { try ImageDecoders.Default().decode(data) }
            #expect(throws: ImageDecodingError.unknown) {
                try decoder { $0.thumbnail = .init(maxPixelSize: 10) }.decode(data)
            }
        }
        #expect("\(ImageDecodingError.unknown)" == "Unknown")
    }

    @Test func makesTheThumbnailThatIsAskedFor() throws {
        let container = try decoder { $0.thumbnail = .init(maxPixelSize: 400) }.decode(try MadeImages.file())
        #expect(container.image.pixelSize == PixelSize(width: 400, height: 300))
        #expect(container.type == .jpeg)
    }

    /// The decoder knows the resize that follows: it decodes no more pixels than needed, and the result has the same size.
    @Test func decodesNoLargerThanTheResizeThatFollows() throws {
        let file = try MadeImages.file(999, 871)
        let whole = try ImageDecoders.Default().decode(file).image
        let cases: [([any ImageProcessing], PixelSize)] = [
            ([ImageProcessors.Resize(width: 90)], PixelSize(width: 125, height: 109)),
            (
                [ImageProcessors.Resize(size: CGSize(width: 90, height: 90))],
                PixelSize(width: 125, height: 109)
            ),
            (
                [ImageProcessors.Resize(size: CGSize(width: 90, height: 60), crop: true)],
                PixelSize(width: 125, height: 109)
            ),
            (
                [
                    ImageProcessors.Composition([
                        ImageProcessors.Resize(height: 200), ImageProcessors.Circle(),
                    ])
                ],
                PixelSize(width: 250, height: 218)
            ),
            ([ImageProcessors.Resize(width: 900)], PixelSize(width: 999, height: 871)),
            ([ImageProcessors.Resize(width: 2000)], PixelSize(width: 999, height: 871)),
            ([ImageProcessors.Resize(width: 2000, upscale: true)], PixelSize(width: 999, height: 871)),
            ([ImageProcessors.Resize(width: .nan)], PixelSize(width: 999, height: 871)),
            (
                [ImageProcessors.Circle(), ImageProcessors.Resize(width: 90)],
                PixelSize(width: 999, height: 871)
            ),
        ]
        for (processors, size) in cases {
            let image = try decoder { $0.processors = processors }.decode(file).image
            #expect(image.pixelSize == size, "\(processors)")
            guard let one = processors[0].process(image), let other = processors[0].process(whole) else {
                #expect(processors[0].process(image) == processors[0].process(whole))
                continue
            }
            #expect(one.pixelSize == other.pixelSize, "\(processors)")
            #expect(difference(one, other) < 6, "\(processors)")
            #expect(processors[0].process(image.copy()) == one)
        }
    }

    /// The mean difference of the components.
    private func difference(_ one: PlatformImage, _ other: PlatformImage) -> Double {
        guard let first = one.rgba, let second = other.rgba, first.count == second.count else {
            return .infinity
        }
        return zip(first, second).reduce(0) { $0 + abs(Double($1.0) - Double($1.1)) } / Double(first.count)
    }
}

#if GIF
/// A GIF of 60 × 40 pixels, coded without compression in blocks of 255 bytes.
enum MadeGIF {
    static let data: Data = {
        var file = Array("GIF89a".utf8) + [60, 0, 40, 0, 0x81, 0, 0]
        file += [255, 0, 0, 0, 255, 0, 0, 0, 255, 10, 20, 30]
        file += [0x2C, 0, 0, 0, 0, 60, 0, 40, 0, 0, 8]
        // Codes of nine bits; the table is cleared (256) before they would grow, and ended (257).
        var codes: [Int] = []
        for index in 0..<60 * 40 { codes += index % 200 == 0 ? [256, index % 4] : [index % 4] }
        let bits = (codes + [257]).flatMap { code in (0..<9).map { code >> $0 & 1 } }
        let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<min(start + 8, bits.count)].enumerated().reduce(UInt8(0)) {
                $0 | UInt8($1.element << $1.offset)
            }
        }
        for start in stride(from: 0, to: bytes.count, by: 255) {
            let block = bytes[start..<min(start + 255, bytes.count)]
            file += [UInt8(block.count)] + block
        }
        return Data(file + [0, 0x3B])
    }()
}
#endif
