import Nuke
import Testing

@Suite("API: the delegate", .timeLimit(.minutes(10)))
struct DelegateAPITests {
    /// Has every default.
    private final class Bare: ImagePipeline.Delegate {}

    /// Has none.
    private final class Full: ImagePipeline.Delegate {
        func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline) -> (any ImageDecoding)?
        { nil }
        func imageEncoder(for context: ImageEncodingContext, pipeline: ImagePipeline) -> any ImageEncoding {
            ImageEncoders.Default(compressionQuality: 0.1)
        }
        func previewPolicy(for context: ImageDecodingContext, pipeline: ImagePipeline)
            -> ImagePipeline.PreviewPolicy
        {
            .thumbnail
        }
        func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
            CurlDataLoader()
        }
        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest {
            throw URLError(.userAuthenticationRequired)
        }
        func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)? { nil }
        func dataCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any DataCaching)? { nil }
        func cacheKey(for request: ImageRequest, pipeline: ImagePipeline) -> String? { "a" }
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            completion(nil)
        }
        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) {}
        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {}
    }

    @Test func everyMethodHasADefault() async throws {
        let bare = Bare()
        let delegate: any ImagePipeline.Delegate & AnyObject & Sendable = bare
        let pipeline = ImagePipeline(delegate: delegate) { $0.imageCache = ImageCache() }
        let request: ImageRequest = "http://h/a"
        let decoding = ImageDecodingContext(request: request, data: Data("GIF89a".utf8))
        let encoding = ImageEncodingContext(request: request, image: onePixel, urlResponse: nil)
        let decoder: (ImageDecodingContext, ImagePipeline) -> (any ImageDecoding)? =
            bare.imageDecoder(for:pipeline:)
        let encoder: (ImageEncodingContext, ImagePipeline) -> any ImageEncoding = bare.imageEncoder(
            for:
            pipeline:
        )
        let policy: (ImageDecodingContext, ImagePipeline) -> ImagePipeline.PreviewPolicy =
            bare.previewPolicy(for:pipeline:)
        let loader: (ImageRequest, ImagePipeline) -> any DataLoading = bare.dataLoader(for:pipeline:)
        let willLoad: (ImageRequest, URLRequest, ImagePipeline) async throws -> URLRequest =
            bare.willLoadData(for:urlRequest:pipeline:)
        let images: (ImageRequest, ImagePipeline) -> (any ImageCaching)? = bare.imageCache(for:pipeline:)
        let data: (ImageRequest, ImagePipeline) -> (any DataCaching)? = bare.dataCache(for:pipeline:)
        let key: (ImageRequest, ImagePipeline) -> String? = bare.cacheKey(for:pipeline:)
        let willCache:
            (Data, ImageContainer?, ImageRequest, ImagePipeline, @escaping (Data?) -> Void) -> Void =
                bare.willCache(data:image:for:pipeline:completion:)
        let created: (ImageTask, ImagePipeline) -> Void = bare.imageTaskCreated(_:pipeline:)
        let told: (ImageTask, ImageTask.Event, ImagePipeline) -> Void =
            bare.imageTask(_:didReceiveEvent:pipeline:)
        #expect(decoder(decoding, pipeline) is ImageDecoders.Default)
        #expect(encoder(encoding, pipeline) is ImageEncoders.Default)
        #expect(policy(decoding, pipeline) == .incremental)
        #expect(loader(request, pipeline) is DataLoader)
        #expect(try await willLoad(request, URLRequest(url: nowhere), pipeline).url == nowhere)
        #expect(images(request, pipeline) === pipeline.configuration.imageCache)
        #expect(data(request, pipeline) == nil && key(request, pipeline) == nil)
        var stored: Data?
        willCache(Data([1]), nil, request, pipeline) { stored = $0 }
        #expect(stored == Data([1]), "as it is, and at once")
        let task = pipeline.imageTask(with: request)
        created(task, pipeline)
        told(task, .started, pipeline)
        task.cancel()
    }

    @Test func everyMethodCanBeImplemented() async throws {
        let pipeline = ImagePipeline(delegate: Full()) { $0.imageCache = ImageCache() }
        let request: ImageRequest = "http://h/a"
        pipeline.cache[request] = ImageContainer(image: onePixel)
        #expect(pipeline.cache[request] == nil && pipeline.cache.makeDataCacheKey(for: request) == "a")
        await #expect(throws: ImagePipeline.Error.self) { try await pipeline.image(for: request) }
    }
}
