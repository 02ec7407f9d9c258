import LoopbackServer
import Nuke
import TestSupport
import Testing

// sample
/// Turns an image into its negative, more or less.
struct Negative: ImageProcessing, Hashable {
    /// From 0 to 1.
    var amount = 1.0

    var identifier: String { "com.example/negative?amount=\(amount)" }

    func process(_ image: PlatformImage) -> PlatformImage? {
        guard var rgba = image.rgba else { return nil }
        for index in rgba.indices where index % 4 != 3 {
            let value = Double(rgba[index])
            rgba[index] = UInt8((value + amount * (255 - 2 * value)).rounded())
        }
        return PlatformImage(width: image.width, height: image.height, rgba: rgba)
    }
}
// end

// sample
/// Reads images of one byte of gray a pixel, after a head of eight characters: `GRAY`, width and height.
struct GrayDecoder: ImageDecoding {
    init?(context: ImageDecodingContext) {
        guard context.data.starts(with: Data("GRAY".utf8)) else { return nil }
    }

    func decode(_ data: Data) throws -> ImageContainer {
        let text = String(decoding: data.prefix(8), as: UTF8.self)
        guard let width = Int(text.dropFirst(4).prefix(2)), let height = Int(text.suffix(2)),
            data.count == 8 + width * height
        else { throw ImageDecodingError.unknown }
        let rgba: [UInt8] = data.dropFirst(8).flatMap { [$0, $0, $0, 255] }
        let image = PlatformImage(width: width, height: height, rgba: Data(rgba))
        return ImageContainer(image: image, type: "com.example.gray")
    }
}
// end

@Suite("Samples: processing, decoding, encoding", .timeLimit(.minutes(10)))
struct ProcessingSamples {
    private func makePipeline(_ url: URL) -> (URL, ImagePipeline) {
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageCache = ImageCache()
        }
        return (url, pipeline)
    }

    @Test func own() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = makePipeline(server.url("/photo.jpg"))
        // sample
        let request = ImageRequest(
            url: url,
            processors: [
                .resize(size: CGSize(width: 200, height: 200), crop: true),
                Negative(amount: 0.8),
                .circle(border: .init(color: .black, width: 2)),
            ]
        )
        let image = try await pipeline.image(for: request)
        // end
        #expect((image.width, image.height) == (200, 200))
        #expect(!image.isOpaque)
    }

    @Test func closure() async throws {
        let server = try Photographs.server()
        let (url, pipeline) = makePipeline(server.url("/photo.jpg"))
        // sample
        let request = ImageRequest(
            url: url,
            processors: [
                .process(id: "com.example/top-half") { image in
                    image.rgba.map { rgba in
                        let rows = image.height / 2
                        let half = Data(rgba.prefix(image.width * rows * 4))
                        return PlatformImage(width: image.width, height: rows, rgba: half)
                    }
                }
            ]
        )
        let image = try await pipeline.image(for: request)
        // end
        #expect((image.width, image.height) == (640, 240))
    }

    @Test func decoder() async throws {
        let server = try LoopbackServer { _ in .data(Data("GRAY0302".utf8) + Data(count: 6)) }
        // sample
        let decoders = ImageDecoderRegistry()
        decoders.register { ImageDecoders.Default(context: $0) }
        decoders.register { GrayDecoder(context: $0) }
        let pipeline = ImagePipeline {
            $0.makeImageDecoder = { decoders.decoder(for: $0) }
        }
        // end
        let image = try await pipeline.image(for: server.url("/a.gray"))
        #expect((image.width, image.height) == (3, 2))
        let photos = try Photographs.server()
        #expect(try await pipeline.image(for: photos.url("/a.jpg")).width == 640)
    }

    @Test func shared() {
        // sample
        let token = ImageDecoderRegistry.shared.register { GrayDecoder(context: $0) }
        ImageDecoderRegistry.shared.unregister(token)
        // end
        let context = ImageDecodingContext(request: "", data: Data("GRAY0000".utf8))
        #expect(!(ImageDecoderRegistry.shared.decoder(for: context) is GrayDecoder))
    }

    @Test func encoder() async throws {
        let server = try Photographs.server()
        let url = server.url("/photo.jpg")
        defer { remove("com.example.thumbnails") }
        // sample
        let cache = try DataCache(name: "com.example.thumbnails")
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.dataCache = cache
            $0.dataCachePolicy = .storeEncodedImages
            $0.makeImageEncoder = { _ in ImageEncoders.ImageIO(type: .webp, compressionRatio: 0.75) }
        }
        // end
        let request = ImageRequest(url: url, processors: [.resize(width: 64)])
        _ = try await pipeline.image(for: request)
        let key = pipeline.cache.makeDataCacheKey(for: request)
        // Images are encoded after they were delivered.
        try await eventually { cache.containsData(for: key) }
        #expect(cache[key].flatMap { AssetType($0) } == .webp)
        cache.close()
    }

    @Test func withoutAPipeline() throws {
        let data = try Photographs.jpeg()
        // sample
        guard let image = PlatformImage(data: data),
            let small = ImageProcessors.Resize(width: 320).process(image),
            let file = ImageEncoders.ImageIO(type: .jpeg, compressionRatio: 0.85).encode(small)
        else { return }
        // end
        #expect(PlatformImage(data: file)?.width == 320)
    }
}
