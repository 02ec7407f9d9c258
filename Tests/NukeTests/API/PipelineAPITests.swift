import Nuke
import Testing

@Suite("API: the pipeline", .timeLimit(.minutes(10)))
struct PipelineAPITests {
    private final class Delegate: ImagePipeline.Delegate {}

    @Test func pipeline() async throws {
        sendable(ImagePipeline.self)
        let shared: () -> ImagePipeline = { ImagePipeline.shared }
        let setShared: (ImagePipeline) -> Void = { ImagePipeline.shared = $0 }
        _ = (shared, setShared)
        let configuration: KeyPath<ImagePipeline, ImagePipeline.Configuration> = \.configuration
        let cache: KeyPath<ImagePipeline, ImagePipeline.Cache> = \.cache
        #expect(isReadOnly(configuration) && isReadOnly(cache))
        let delegate: (any ImagePipeline.Delegate)? = Delegate()
        let all = [
            ImagePipeline(), ImagePipeline(configuration: .init()), ImagePipeline(delegate: delegate),
            ImagePipeline(configuration: .init(), delegate: delegate), ImagePipeline { $0.imageCache = nil },
            ImagePipeline(delegate: delegate) { $0.imageCache = nil },
        ]
        let pipeline = all[5]
        let ofURL: (URL) -> ImageTask = pipeline.imageTask(with:)
        let ofRequest: (ImageRequest) -> ImageTask = pipeline.imageTask(with:)
        let imageOfURL: (URL) async throws(ImagePipeline.Error) -> PlatformImage = pipeline.image(for:)
        let image: (ImageRequest) async throws(ImagePipeline.Error) -> PlatformImage = pipeline.image(for:)
        let data: (ImageRequest) async throws(ImagePipeline.Error) -> (Data, URLResponse?) = pipeline.data(
            for:
        )
        let invalidate: () -> Void = pipeline.invalidate
        let request = ImageRequest(id: "a", data: { Data([1]) })
        #expect(try await data(request).0 == Data([1]) && ofRequest(request).request.imageID == "a")
        for load in [{ try await imageOfURL(nowhere) }, { try await image(request) }] {
            await #expect(throws: ImagePipeline.Error.self) { try await load() }
        }
        #expect(ofURL(nowhere).request.url == nowhere)
        invalidate()
    }

    @Test func configuration() {
        sendable(ImagePipeline.Configuration.self)
        typealias Configuration = ImagePipeline.Configuration
        let loader: WritableKeyPath<Configuration, any DataLoading> = \.dataLoader
        let dataCache: WritableKeyPath<Configuration, (any DataCaching)?> = \.dataCache
        let imageCache: WritableKeyPath<Configuration, (any ImageCaching)?> = \.imageCache
        let makeDecoder:
            WritableKeyPath<Configuration, @Sendable (ImageDecodingContext) -> (any ImageDecoding)?> =
                \.makeImageDecoder
        let makeEncoder:
            WritableKeyPath<Configuration, @Sendable (ImageEncodingContext) -> any ImageEncoding> =
                \.makeImageEncoder
        let flags: [WritableKeyPath<Configuration, Bool>] = [
            \.isDecompressionEnabled, \.isTaskCoalescingEnabled, \.isRateLimiterEnabled,
            \.isProgressiveDecodingEnabled, \.isStoringPreviewsInMemoryCache, \.isResumableDataEnabled,
            \.isLocalResourcesSupportEnabled,
        ]
        let policy: WritableKeyPath<Configuration, ImagePipeline.DataCachePolicy> = \.dataCachePolicy
        let interval: WritableKeyPath<Configuration, TimeInterval> = \.progressiveDecodingInterval
        let largest: WritableKeyPath<Configuration, Int?> = \.maximumResponseDataSize
        let queues: [WritableKeyPath<Configuration, OperationQueue>] = [
            \.dataLoadingQueue, \.imageDecodingQueue, \.imageEncodingQueue, \.imageProcessingQueue,
            \.imageDecompressingQueue,
        ]
        let made = Configuration()
        #expect(made[keyPath: loader] is DataLoader && made[keyPath: dataCache] == nil)
        #expect(made[keyPath: imageCache] as? ImageCache === ImageCache.shared)
        #expect(flags.map { made[keyPath: $0] } == [false, true, true, false, true, true, true])
        #expect(made[keyPath: interval] == 0.5)
        let tenth = ProcessInfo.processInfo.physicalMemory / 10
        #expect(made[keyPath: largest] == Int(min(209_715_200, tenth)))
        #expect(queues.map { made[keyPath: $0].maxConcurrentOperationCount } == [6, 1, 1, 2, 2])
        let encoding = ImageEncodingContext(request: "http://h/a", image: onePixel, urlResponse: nil)
        #expect(made[keyPath: makeEncoder](encoding) is ImageEncoders.Default)
        let decoding = ImageDecodingContext(request: "http://h/a", data: Data())
        #expect(made[keyPath: makeDecoder](decoding) is ImageDecoders.Default)
        switch made[keyPath: policy] {
        case .storeOriginalData: break
        case .automatic, .storeEncodedImages, .storeAll: Issue.record("another default")
        }
        var none = made
        none.imageCache = nil
        #expect(none.imageCache == nil, "setting nil counts as set")
        // Copies share what is a reference, as classes do.
        #expect(none.dataLoadingQueue === made.dataLoadingQueue)
        let makers: [() -> Configuration] = [
            { .withURLCache }, { .withDataCache }, { .withDataCache() }, { .withDataCache(name: "a") },
            { .withDataCache(sizeLimit: 1) }, { .withDataCache(name: "a", sizeLimit: nil) },
            { Configuration(dataLoader: DataLoader()) },
        ]
        #expect(makers.count == 7)
        sendable(ImagePipeline.DataCachePolicy.self)
    }

    @Test func previewPolicy() {
        sendable(ImagePipeline.PreviewPolicy.self)
        let suits: (Data) -> ImagePipeline.PreviewPolicy = ImagePipeline.PreviewPolicy.default(for:)
        #expect(suits(Data()) == .disabled)
        switch suits(Data("GIF89a".utf8)) {
        case .incremental: break
        case .thumbnail, .disabled: Issue.record("no previews of a GIF")
        }
    }

    @Test func error() {
        failure(ImagePipeline.Error.self)
        let context = ImageDecodingContext(request: "http://h/a", data: Data())
        let response = ImageResponse(container: ImageContainer(image: onePixel), request: "http://h/a")
        let processing = ImageProcessingContext(request: "http://h/a", response: response, isCompleted: true)
        let all: [ImagePipeline.Error] = [
            .dataMissingInCache, .dataLoadingFailed(error: URLError(.timedOut)), .dataIsEmpty,
            .decoderNotRegistered(context: context),
            .decodingFailed(decoder: ImageDecoders.Empty(), context: context, error: URLError(.timedOut)),
            .processingFailed(processor: .circle(), context: processing, error: URLError(.timedOut)),
            .imageRequestMissing, .pipelineInvalidated, .dataDownloadExceededMaximumSize, .cancelled,
        ]
        #expect(
            all.suffix(4).map(\.description) == [
                "Load image method was called with no image request or no URL.",
                "Image pipeline is invalidated and no requests can be made.",
                "The downloaded data exceeded the maximum allowed size.", "The image task was cancelled.",
            ]
        )
        for (number, error) in all.enumerated() {
            let cause: (any Swift.Error)? = error.dataLoadingError
            #expect((cause as? URLError)?.code == (number == 1 ? .timedOut : nil))
            let text: String = error.description
            #expect(text.hasSuffix("."))
            #expect(position(of: error) == number)
        }
    }

    private func position(of error: ImagePipeline.Error) -> Int {
        switch error {
        case .dataMissingInCache: 0
        case .dataLoadingFailed(let error): error as any Swift.Error is URLError ? 1 : -1
        case .dataIsEmpty: 2
        case .decoderNotRegistered(let context): (context as ImageDecodingContext).isCompleted ? 3 : -1
        case .decodingFailed(let decoder, let context, _):
            (decoder as any ImageDecoding).isAsynchronous || !context.isCompleted ? -1 : 4
        case .processingFailed(let processor, let context, _):
            processor.identifier.isEmpty || !context.isCompleted ? -1 : 5
        case .imageRequestMissing: 6
        case .pipelineInvalidated: 7
        case .dataDownloadExceededMaximumSize: 8
        case .cancelled: 9
        }
    }

    @Test func cache() {
        sendable(ImagePipeline.Cache.self)
        typealias Caches = ImagePipeline.Cache.Caches
        options(Caches.self)
        #expect([Caches.memory, .disk, .all].map(\.rawValue) == [1, 2, 3] && Caches(rawValue: 3) == .all)
        let cache = ImagePipeline { $0.imageCache = ImageCache() }.cache
        let request: ImageRequest = "http://h/a"
        let image = ImageContainer(image: onePixel)
        // Of a constant: setting changes the caches, not the value.
        cache[nowhere] = image
        cache[request] = image
        #expect(cache[nowhere] != nil && cache[request] != nil)
        let get: (ImageRequest, Caches) -> ImageContainer? = cache.cachedImage(for:caches:)
        let store: (ImageContainer, ImageRequest, Caches) -> Void = cache.storeCachedImage(_:for:caches:)
        let remove: (ImageRequest, Caches) -> Void = cache.removeCachedImage(for:caches:)
        let contains: (ImageRequest, Caches) -> Bool = cache.containsCachedImage(for:caches:)
        let getData: (ImageRequest) -> Data? = cache.cachedData(for:)
        let storeData: (Data, ImageRequest) -> Void = cache.storeCachedData(_:for:)
        let containsData: (ImageRequest) -> Bool = cache.containsData(for:)
        let removeData: (ImageRequest) -> Void = cache.removeCachedData(for:)
        let key: (ImageRequest) -> ImageCacheKey = cache.makeImageCacheKey(for:)
        let dataKey: (ImageRequest) -> String = cache.makeDataCacheKey(for:)
        let removeAll: (Caches) -> Void = cache.removeAll(caches:)
        remove(request, .memory)
        #expect(!contains(request, .all) && get(request, .all) == nil)
        store(image, request, [.memory])
        storeData(Data(), request)
        removeData(request)
        #expect(getData(request) == nil && !containsData(request))
        #expect(key(request) == ImageCacheKey(request: request) && dataKey(request) == "http://h/a")
        removeAll(.memory)
        // Every one of them takes all caches unless it is told.
        cache.storeCachedImage(image, for: request)
        #expect(cache.containsCachedImage(for: request) && cache.cachedImage(for: request) != nil)
        cache.removeCachedImage(for: request)
        cache.removeAll()
        #expect(cache[request] == nil)
    }
}
