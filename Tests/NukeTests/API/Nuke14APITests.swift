import Foundation
import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// Declarations of Nuke 14 that stand beside those of Nuke 13.
@Suite("API: names of Nuke 14", .timeLimit(.minutes(10)))
struct Nuke14APITests {
    @Test func queues() {
        let queue = TaskQueue(maxConcurrentTaskCount: 3)
        #expect(queue.maxConcurrentTaskCount == 3 && queue.maxConcurrentOperationCount == 3)
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.imageProcessingQueue.maxConcurrentTaskCount = 4
        }
        #expect(pipeline.configuration.imageProcessingQueue.maxConcurrentOperationCount == 4)
    }

    @Test func status() async throws {
        let fresh = ImageTask.Status()
        #expect(fresh.result == nil && !fresh.isCancelled && fresh.priority == .normal)
        #expect(fresh.progress == ImageTask.Progress(completed: 0, total: 0) && fresh.metrics == nil)
        let loader = ManualLoader()
        let pipeline = ImagePipeline.testing(loader)
        let task = pipeline.imageTask(
            with: ImageRequest(url: URL(string: "http://example.com/a"), priority: .high)
        )
        #expect(task.status.result == nil && task.status.priority == .high && !task.isCancelled)
        #expect(task.id == ObjectIdentifier(task))
        let load = await loader.load(0)
        load.send(Data(count: 3), of: 5)
        try await eventually { task.status.progress == .init(completed: 3, total: 5) }
        load.send(Data(count: 2), of: 5)
        load.end()
        _ = try await task.response
        #expect((try? task.status.result?.get()) != nil && task.metrics == nil)
        task.cancel()
        // Cancelling is a request: it is noted, but the task has ended with an image.
        #expect(task.isCancelled && task.status.isCancelled && task.state == .completed)
        let other = pipeline.imageTask(with: "http://example.com/other")
        other.cancel()
        guard case .failure(.cancelled) = other.status.result else {
            Issue.record("\(other.status)")
            return
        }
        #expect(other.isCancelled && other.state == .cancelled)
    }

    /// Delegates of Nuke 13 and of Nuke 14, and of both: the asynchronous method counts.
    private final class Closing: ImagePipeline.Delegate {
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            completion(request.url?.path == "/no" ? nil : data + [13])
        }
    }

    private final class Awaiting: ImagePipeline.Delegate {
        let log = Log()

        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline
        ) async -> Data? {
            await Task.yield()
            return request.url?.path == "/no" ? nil : data + [14]
        }

        func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline) { log.add("did start") }

        func imageTask(_ task: ImageTask, didReceiveEvent event: ImageTask.Event, pipeline: ImagePipeline) {
            if case .started = event { log.add("started") }
        }
    }

    private final class Both: ImagePipeline.Delegate {
        @ImagePipelineActor private var count = 0

        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline,
            completion: @escaping (Data?) -> Void
        ) {
            completion(nil)
        }

        @ImagePipelineActor
        func willCache(
            data: Data,
            image: ImageContainer?,
            for request: ImageRequest,
            pipeline: ImagePipeline
        ) async -> Data? {
            count += 1
            return request.url?.path == "/no" ? nil : data + [UInt8(count)]
        }

        @ImagePipelineActor
        func imageTaskDidStart(_ task: ImageTask, pipeline: ImagePipeline) { count += 1 }
    }

    @Test func delegatesOfEitherVersionDecideWhatIsStored() async throws {
        for (delegate, last) in [(Closing(), 13), (Awaiting(), 14), (Both(), 2)]
            as [(any ImagePipeline.Delegate, UInt8)]
        {
            let cache = DictionaryCache()
            let pipeline = ImagePipeline.testing(QueuedLoader(), delegate: delegate) { $0.dataCache = cache }
            for path in ["no", "yes"] {
                _ = try await pipeline.data(for: ImageRequest(url: URL(string: "http://example.com/\(path)")))
            }
            #expect(cache.keys == ["http://example.com/yes"], "\(delegate)")
            #expect(cache.cachedData(for: "http://example.com/yes")?.last == last)
        }
    }

    @Test func theStartIsToldInBothForms() async throws {
        let delegate = Awaiting()
        let pipeline = ImagePipeline.testing(QueuedLoader(), delegate: delegate)
        _ = try await pipeline.image(for: "http://example.com/a")
        #expect(delegate.log.all == ["did start", "started"])
    }

    @Test func cachesTakeRequests() {
        let request = ImageRequest(url: nowhere)
        let pipeline = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        ImageCache.shared[request] = ImageContainer(image: onePixel)
        #expect(ImageCache.shared[request] != nil && pipeline.cache[request] != nil)
        #expect(ImageCache.shared[nowhere]?.image.width == 1)
        ImageCache.shared[request] = nil
        #expect(pipeline.cache[request] == nil)
    }

    @Test func priorities() throws {
        #expect(ImageRequest.Priority.allCases == [.veryLow, .low, .normal, .high, .veryHigh])
        let data = try JSONEncoder().encode(ImageRequest.Priority.allCases)
        #expect(String(decoding: data, as: UTF8.self) == #"["veryLow","low","normal","high","veryHigh"]"#)
        #expect(
            try JSONDecoder().decode([ImageRequest.Priority].self, from: data)
                == ImageRequest.Priority.allCases
        )
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([ImageRequest.Priority].self, from: Data(#"["urgent"]"#.utf8))
        }
    }
}
