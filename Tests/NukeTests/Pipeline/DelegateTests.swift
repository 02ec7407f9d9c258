import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// The calls that a pipeline makes to its delegate, and their arguments.
@Suite("ImagePipeline.Delegate", .timeLimit(.minutes(10)))
struct DelegateTests {
    private let loader = QueuedLoader()
    private let counter = Counter()
    private let request: ImageRequest = "http://example.com/a.jpg"

    private struct Refused: Error {}

    private final class Delegate: ImagePipeline.Delegate {
        struct State {
            var asked: [URLRequest] = []
            var created: [(thread: ObjectIdentifier, state: ImageTask.State)] = []
            var events: [String] = []
            var change: (@Sendable (inout URLRequest) -> Void)?
            var fails = false
            var stored: [(data: Data, isEncoded: Bool, key: String?)] = []
        }

        let state = Mutex(State())
        let entered = Gate()
        let proceed = Gate()
        let isHeld = Atomic(false)

        func willLoadData(
            for request: ImageRequest,
            urlRequest: URLRequest,
            pipeline: ImagePipeline
        ) async throws -> URLRequest {
            if isHeld.load(ordering: .acquiring) {
                entered.open()
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread { [proceed] in
                        proceed.wait()
                        continuation.resume()
                    }
                }
            }
            return try state.withLock { state in
                state.asked.append(urlRequest)
                if state.fails { throw Refused() }
                var urlRequest = urlRequest
                state.change?(&urlRequest)
                return urlRequest
            }
        }

        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            state.withLock { $0.stored.append((data, image != nil, request.imageID)) }
            completion(data)
        }

        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) {
            state.withLock {
                $0.created.append((ObjectIdentifier(Thread.current), task.state))
                $0.events.append("created")
            }
        }

        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
            let name =
                switch event {
                case .started: "started"
                case .progress(let progress): "\(progress.completed)/\(progress.total)"
                case .preview: "preview"
                case .finished(.success): "success"
                case .finished(.failure(let error)): "\(error)"
                }
            state.withLock { $0.events.append(name) }
        }
    }

    private let delegate = Delegate()

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        ImagePipeline.testing(loader, counter, delegate: delegate) {
            $0.imageCache = nil
            configure(&$0)
        }
    }

    @Test func theRequestThatIsSentIsTheDelegates() async throws {
        let cache = DictionaryCache()
        let pipeline = pipeline { $0.dataCache = cache }
        delegate.state.withLock {
            $0.change = { request in
                request.setValue("Bearer token", forHTTPHeaderField: "Authorization")
                request.url?.append(queryItems: [URLQueryItem(name: "signature", value: "1")])
            }
        }
        _ = try await pipeline.image(for: request)
        #expect(loader.requests.map { $0.value(forHTTPHeaderField: "Authorization") } == ["Bearer token"])
        #expect(loader.requests.first?.url?.query == "signature=1")
        // Keys are those of the request as it was made.
        #expect(cache.keys == ["http://example.com/a.jpg"])
        #expect(delegate.state.withLock { $0.asked.map(\.url?.path) } == ["/a.jpg"])
    }

    @Test func itIsAskedOnceForEachLoadFromTheNetworkAlone() async throws {
        let cache = DictionaryCache()
        let pipeline = pipeline { $0.dataCache = cache }
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: try folder.write(Data([1]), to: "a.jpg"))
        _ = try await pipeline.data(for: ImageRequest(url: file))
        _ = try await pipeline.data(for: ImageRequest(url: URL(string: "data:,x")))
        _ = try await pipeline.image(for: ImageRequest(id: "mine", data: { Data([1]) }))
        _ = try await pipeline.image(
            for: ImageRequest(id: "other", image: { ImageContainer(image: PlatformImage()) })
        )
        #expect(delegate.state.withLock { $0.asked.isEmpty })
        loader.isSuspended = true
        let tasks = [request, request].map(pipeline.imageTask)
        try await eventually { loader.createdTaskCount == 1 }
        loader.isSuspended = false
        for task in tasks { _ = try await task.image }
        _ = try await pipeline.image(for: request)
        #expect(delegate.state.withLock { $0.asked.count } == 1)
    }

    @Test func whatItThrowsFailsTheLoad() async throws {
        delegate.state.withLock { $0.fails = true }
        let pipeline = pipeline()
        let image = await pipelineError { _ = try await pipeline.image(for: request) }
        #expect(image?.dataLoadingError is Refused)
        let data = await pipelineError { _ = try await pipeline.data(for: request) }
        #expect(data?.dataLoadingError is Refused)
        #expect(loader.createdTaskCount == 0)
        // Its slot in the queue is free again.
        try await eventually { pipeline.configuration.dataLoadingQueue.operationCount == 0 }
    }

    @Test(arguments: [ImageRequest.Options.skipDataLoadingQueue, []])
    func nothingIsLoadedForATaskThatWasCancelledMeanwhile(options: ImageRequest.Options) async throws {
        delegate.isHeld.store(true, ordering: .releasing)
        let pipeline = pipeline()
        var request = request
        request.options = options
        let task = pipeline.imageTask(with: request)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [delegate] in
                delegate.entered.wait()
                continuation.resume()
            }
        }
        // It holds one of the slots while it thinks.
        let slots = pipeline.configuration.dataLoadingQueue
        #expect(slots.operationCount == (options.isEmpty ? 1 : 0))
        task.cancel()
        await #expect(throws: ImagePipeline.Error.self) { try await task.image }
        // The delegate is told when the load has been given up.
        try await eventually { delegate.state.withLock { $0.events.last == "The image task was cancelled." } }
        delegate.proceed.open()
        try await eventually { delegate.state.withLock { !$0.asked.isEmpty } && slots.operationCount == 0 }
        delegate.isHeld.store(false, ordering: .releasing)
        _ = try await pipeline.image(for: "http://example.com/next.jpg")
        #expect(loader.requests.map(\.url?.path) == ["/next.jpg"])
    }

    @Test func itIsAskedAfterTheRangeWasSet() async throws {
        let manual = ManualLoader()
        let pipeline = ImagePipeline.testing(manual, counter, delegate: delegate) { $0.imageCache = nil }
        let first = pipeline.imageTask(with: request)
        let load = await manual.load(0)
        load.send(Data(count: 4), of: 10, headers: ["Accept-Ranges": "bytes", "ETag": "\"1\""])
        load.end(URLError(.networkConnectionLost))
        await #expect(throws: ImagePipeline.Error.self) { try await first.image }
        let second = pipeline.imageTask(with: request)
        _ = await manual.load(1)
        let asked = delegate.state.withLock { $0.asked }
        #expect(asked.map { $0.value(forHTTPHeaderField: "Range") } == [nil, "bytes=4-"])
        #expect(asked.last?.value(forHTTPHeaderField: "If-Range") == "\"1\"")
        second.cancel()
    }

    @Test func aTaskIsShownToItOnTheCallersThreadBeforeItBegins() async throws {
        let pipeline = pipeline()
        let made = Mutex<(thread: ObjectIdentifier, task: ImageTask)?>(nil)
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let task = pipeline.imageTask(with: request)
                made.withLock { $0 = (ObjectIdentifier(Thread.current), task) }
                continuation.resume()
            }
        }
        let (thread, task) = try #require(made.withLock { $0 })
        _ = try await task.image
        let created = delegate.state.withLock { $0.created }
        #expect(created.count == 1 && created.first?.thread == thread && created.first?.state == .running)
        try await eventually { delegate.state.withLock { $0.events.last == "success" } }
        #expect(delegate.state.withLock { $0.events } == ["created", "started", "40/40", "success"])
    }

    @Test func itIsToldNothingOfTasksForData() async throws {
        let pipeline = pipeline()
        _ = try await pipeline.data(for: request)
        #expect(delegate.state.withLock { $0.events.isEmpty && $0.created.isEmpty })
    }

    @Test func whoCancelsInItsFirstCallIsObeyed() async throws {
        final class Canceller: ImagePipeline.Delegate {
            func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) { task.cancel() }
        }
        let pipeline = ImagePipeline.testing(loader, counter, delegate: Canceller())
        let error = await pipelineError { _ = try await pipeline.image(for: request) }
        #expect(error?.description == "The image task was cancelled.")
        #expect(loader.createdTaskCount == 0)
    }

    @Test func itSeesWhatIsStored() async throws {
        let cache = DictionaryCache()
        let pipeline = pipeline {
            $0.dataCache = cache
            $0.dataCachePolicy = .storeAll
        }
        var request = request
        request.processors = [Mark("a")]
        _ = try await pipeline.image(for: request)
        try await cache.waits(for: 2)
        let stored = delegate.state.withLock { $0.stored }
        #expect(stored.map(\.isEncoded) == [false, true])
        #expect(stored.map(\.data.count) == [40, 7])
    }

    @Test func thePipelineKeepsIt() async throws {
        weak var kept: Delegate?
        let pipeline: ImagePipeline
        do {
            let delegate = Delegate()
            kept = delegate
            pipeline = ImagePipeline.testing(loader, counter, delegate: delegate)
        }
        _ = try await pipeline.image(for: request)
        #expect(kept != nil)
    }

    @Test func itChoosesForSingleRequests() async throws {
        final class Choosing: ImagePipeline.Delegate {
            let loader = QueuedLoader()
            let images = CountingImageCache()
            let counter = Counter()

            func dataLoader(for request: ImageRequest, pipeline: ImagePipeline) -> any DataLoading {
                request.userInfo["special"] == nil ? pipeline.configuration.dataLoader : loader
            }

            func imageCache(for request: ImageRequest, pipeline: ImagePipeline) -> (any ImageCaching)? {
                request.userInfo["special"] == nil ? pipeline.configuration.imageCache : images
            }

            func imageDecoder(for context: ImageDecodingContext, pipeline: ImagePipeline)
                -> (any ImageDecoding)?
            {
                counter.add("decoder")
                return pipeline.configuration.makeImageDecoder(context)
            }
        }
        let choosing = Choosing()
        let pipeline = ImagePipeline.testing(loader, counter, delegate: choosing)
        let special = ImageRequest(url: URL(string: "http://example.com/s.jpg"), userInfo: ["special": true])
        _ = try await pipeline.image(for: request)
        _ = try await pipeline.image(for: special)
        #expect(loader.createdTaskCount == 1 && choosing.loader.createdTaskCount == 1)
        #expect(choosing.images.writes == 1 && choosing.counter["decoder"] == 2)
        #expect(pipeline.cache[special] != nil && pipeline.cache[request] != nil)
        // Removing everything is about the configuration's caches.
        pipeline.cache.removeAll()
        #expect(pipeline.cache[special] != nil && pipeline.cache[request] == nil)
    }
}
