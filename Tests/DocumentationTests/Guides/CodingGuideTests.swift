import LoopbackServer
import Nuke
import TestSupport
import Testing

/// Decoders and encoders of one's own.
@Suite("Guide: decoding and encoding", .timeLimit(.minutes(10)))
struct CodingGuideTests {
    /// Writes the pixels as they are, after the width in one byte.
    private struct RawEncoder: ImageEncoding {
        func encode(_ image: PlatformImage) -> Data? {
            guard let rgba = image.rgba, let width = UInt8(exactly: image.width) else { return nil }
            return Data("RAW".utf8) + [width] + rgba
        }
    }

    /// Reads what `RawEncoder` wrote.
    private final class RawDecoder: ImageDecoding, Sendable {
        let isAsynchronous = false

        init?(_ context: ImageDecodingContext) {
            guard context.isCompleted, context.data.prefix(3) == Data("RAW".utf8) else { return nil }
        }

        func decode(_ data: Data) throws -> ImageContainer {
            guard data.count > 4, case let width = Int(data[data.startIndex + 3]), width > 0 else {
                throw ImageDecodingError.unknown
            }
            let rgba = Data(data.dropFirst(4))
            let image = PlatformImage(width: width, height: rgba.count / 4 / width, rgba: rgba)
            return ImageContainer(image: image, type: "com.example.raw", userInfo: ["raw": true])
        }
    }

    @Test func processedImagesGoToTheDiskAndBackInOnesOwnFormat() async throws {
        let folder = try TemporaryFolder()
        let server = try Photographs.server()
        let cache = try DataCache(path: URL(fileURLWithPath: folder.path("cache")))
        let decoders = ImageDecoderRegistry()
        decoders.register { RawDecoder($0) }
        func makePipeline() -> ImagePipeline {
            ImagePipeline {
                $0.imageCache = nil
                $0.dataCache = cache
                $0.dataCachePolicy = .storeAll
                $0.makeImageDecoder = {
                    decoders.decoder(for: $0) ?? ImageDecoderRegistry.shared.decoder(for: $0)
                }
                $0.makeImageEncoder = { _ in RawEncoder() }
            }
        }
        let request = ImageRequest(url: server.url("/photo.jpg"), processors: [.resize(width: 40)])
        let pipeline = makePipeline()
        let image = try await pipeline.image(for: request)
        try await eventually { pipeline.cache.containsData(for: request) }
        #expect(pipeline.cache.cachedData(for: request)?.prefix(3) == Data("RAW".utf8))
        let response = try await makePipeline().imageTask(with: request).response
        #expect(response.image == image)
        #expect(response.cacheType == .disk)
        #expect(response.container.type == "com.example.raw")
        #expect(response.container.userInfo["raw"] as? Bool == true)
        #expect(server.requests.count == 1)
    }

    @Test func theDelegateMayChoose() async throws {
        final class Chooser: ImagePipeline.Delegate {
            func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline)
                -> (any ImageDecoding)?
            {
                context.request.userInfo["isVideo"] as? Bool == true
                    ? ImageDecoders.Empty(assetType: .mp4) : pipeline.configuration.makeImageDecoder(context)
            }
        }
        let server = try LoopbackServer { _ in .data(Data("frames".utf8)) }
        let pipeline = ImagePipeline(delegate: Chooser()) { $0.imageCache = nil }
        let request = ImageRequest(url: server.url("/video.mp4"), userInfo: ["isVideo": true])
        let container = try await pipeline.imageTask(with: request).response.container
        #expect(container.type == .mp4)
        #expect(container.data == Data("frames".utf8))
        do {
            _ = try await pipeline.image(for: server.url("/video.mp4"))
            Issue.record("an image of frames")
        } catch {
            guard case .decodingFailed(let decoder, let context, _) = error else {
                throw error
            }
            #expect(decoder is ImageDecoders.Default)
            #expect(context.data == Data("frames".utf8))
        }
    }

    @Test func withoutADecoderThereIsNoImage() async throws {
        let server = try Photographs.server()
        let pipeline = ImagePipeline {
            $0.imageCache = nil
            $0.makeImageDecoder = { _ in nil }
        }
        do {
            _ = try await pipeline.image(for: server.url("/photo.jpg"))
            Issue.record("an image without a decoder")
        } catch {
            guard case .decoderNotRegistered(let context) = error else {
                throw error
            }
            #expect(context.urlResponse != nil)
        }
    }

    @Test func filesOfEachType() throws {
        let image = try #require(PlatformImage(data: try Photographs.jpeg()))
        for type: AssetType in [.jpeg, .png, .webp, .avif] where ImageEncoders.ImageIO.isSupported(type: type)
        {
            let file = try #require(ImageEncoders.ImageIO(type: type, compressionRatio: 0.5).encode(image))
            #expect(AssetType(file) == type)
            #expect(PlatformImage(data: file)?.width == 640)
        }
        #expect(ImageEncoders.Default().encode(image).flatMap { AssetType($0) } == .jpeg)
        let circle = try #require(ImageProcessors.Circle().process(image))
        #expect(
            ImageEncoders.Default(compressionQuality: 0.9).encode(circle).flatMap { AssetType($0) } == .png
        )
        #expect(!ImageEncoders.ImageIO.isSupported(type: "com.example.raw"))
    }
}
