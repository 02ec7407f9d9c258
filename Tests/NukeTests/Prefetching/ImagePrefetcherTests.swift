import Foundation
import Nuke
import Synchronization
import TestSupport
import Testing

@Suite("ImagePrefetcher", .timeLimit(.minutes(10)))
struct ImagePrefetcherTests {
    private let loader = ManualLoader()
    private let counter = Counter()

    private func requests(_ count: Int) -> [ImageRequest] {
        (0..<count).map { ImageRequest(url: URL(string: "http://example.com/\($0).jpg")) }
    }

    /// Waits for what a prefetcher says of each request, and for its end.
    private final class Results: Sendable {
        private let results = Mutex<[(String, Bool)]>([])
        private let ends = Mutex(0)

        init(_ prefetcher: ImagePrefetcher) {
            prefetcher.didFinish = { [weak self] request, result in
                let isDone = (try? result.get()) != nil
                self?.results.withLock { $0.append((request.url?.lastPathComponent ?? "", isDone)) }
            }
            prefetcher.didComplete = { [weak self] in self?.ends.withLock { $0 += 1 } }
        }

        var all: [String: Bool] {
            Dictionary(results.withLock { $0 }) { first, _ in first }
        }

        var ended: Int { ends.withLock { $0 } }

        func waitForEnd(_ count: Int = 1) async throws { try await eventually { ended >= count } }
    }

    @Test func tellsWhatCameOfEachRequest() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        prefetcher.startPrefetching(with: requests(3))
        await loader.load(0).answer(Data([1]))
        await loader.load(1).end(URLError(.timedOut))
        await loader.load(2).answer(Data([1]))
        try await results.waitForEnd()
        let done = results.all.filter(\.value).count
        #expect(results.all.count == 3)
        #expect(done == 2)
        #expect(requests(3).count { pipeline.cache[$0] != nil } == 2)
    }

    @Test func bringsOnlySoManyAtOnceAtItsOwnPriority() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        prefetcher.startPrefetching(with: requests(4))
        _ = await loader.load(1)
        #expect(pipeline.configuration.dataLoadingQueue.operations.allSatisfy { $0.queuePriority == .low })
        prefetcher.priority = .high
        try await eventually {
            pipeline.configuration.dataLoadingQueue.operations.allSatisfy { $0.queuePriority == .high }
        }
        #expect(loader.count == 2)
        for number in 0..<4 { await loader.load(number).answer(Data([1])) }
        try await results.waitForEnd()
        #expect(results.all.count == 4)
    }

    @Test func skipsWhatIsInMemoryOrOnItsWay() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        let requests = requests(2)
        pipeline.cache[requests[0]] = ImageContainer(image: PlatformImage())
        prefetcher.startPrefetching(with: [requests[0]])
        try await results.waitForEnd()
        #expect(results.all == ["0.jpg": true])
        prefetcher.startPrefetching(with: requests + requests)
        await loader.load(0).answer(Data([1]))
        try await results.waitForEnd(2)
        #expect(loader.count == 1)
    }

    @Test func toDiskItLoadsAndDecodesNothing() async throws {
        let cache = DictionaryCache()
        let pipeline = ImagePipeline.testing(loader, counter) { $0.dataCache = cache }
        let prefetcher = ImagePrefetcher(pipeline: pipeline, destination: .diskCache)
        let results = Results(prefetcher)
        prefetcher.startPrefetching(with: requests(1))
        await loader.load(0).answer(Data([1]))
        try await results.waitForEnd()
        #expect(cache.keys == ["http://example.com/0.jpg"])
        #expect(counter["decode"] == 0)
    }

    @Test func fetchesInTheOrderOfTheRequests() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline, maxConcurrentRequestCount: 1)
        let results = Results(prefetcher)
        prefetcher.startPrefetching(with: requests(100))
        for number in 0..<100 {
            let load = await loader.load(number)
            #expect(load.request.url?.lastPathComponent == "\(number).jpg")
            load.answer(Data([1]))
        }
        try await results.waitForEnd()
    }

    @Test func stopsWhatIsNotWantedAnyMore() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        let requests = requests(3)
        prefetcher.startPrefetching(with: requests)
        let loads = [await loader.load(0), await loader.load(1)]
        prefetcher.stopPrefetching(with: [requests[0], requests[1]])
        try await eventually { loads.allSatisfy(\.isCancelled) }
        await loader.load(2).answer(Data([1]))
        try await results.waitForEnd()
        #expect(results.all == ["2.jpg": true])
        prefetcher.stopPrefetching(with: requests)
        prefetcher.startPrefetching(with: [ImageRequest(url: URL(string: "http://example.com/x.jpg"))])
        let last = await loader.load(3)
        prefetcher.stopPrefetching()
        try await eventually { last.isCancelled }
        #expect(results.ended == 1)
    }

    @Test func aPausedOneBeginsNothingNew() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        prefetcher.isPaused = true
        prefetcher.startPrefetching(with: requests(1))
        let other = pipeline.imageTask(with: "http://example.com/other.jpg")
        await loader.load(0).answer(Data([1]))
        _ = try await other.image
        #expect(loader.count == 1)
        prefetcher.isPaused = false
        await loader.load(1).answer(Data([1]))
        try await results.waitForEnd()
    }

    @MainActor @Test func itsEndIsNotToldOnceAllWasStopped() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        pipeline.cache[requests(1)[0]] = ImageContainer(image: PlatformImage())
        // Complete at once: to be told when the main actor, which this test holds, has its turn.
        prefetcher.startPrefetching(with: requests(1))
        prefetcher.stopPrefetching()
        prefetcher.startPrefetching(with: requests(1))
        try await results.waitForEnd()
        for _ in 0..<10 { await Task.yield() }
        #expect(results.ended == 1)
    }

    /// Changes the prefetcher as soon as it has begun with an image.
    private final class Meddler: ImagePipeline.Delegate {
        let change = Mutex<(@Sendable () -> Void)?>(nil)
        let tasks = Mutex<[ImageTask]>([])

        func imageTaskCreated(_ task: ImageTask, pipeline: ImagePipeline) {
            tasks.withLock { $0.append(task) }
            change.withLock { $0 }?()
        }
    }

    @Test func aDelegateMayChangeItsPriorityWhileItBegins() async throws {
        let meddler = Meddler()
        let pipeline = ImagePipeline.testing(loader, delegate: meddler)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        meddler.change.withLock { $0 = { [weak prefetcher] in prefetcher?.priority = .veryHigh } }
        prefetcher.startPrefetching(with: requests(1))
        try await eventually { meddler.tasks.withLock { $0.first?.priority == .veryHigh } }
        await loader.load(0).answer(Data([1]))
        try await results.waitForEnd()
        #expect(results.all == ["0.jpg": true])
    }

    @Test func aDelegateMayStopItWhileItBegins() async throws {
        let meddler = Meddler()
        let pipeline = ImagePipeline.testing(loader, delegate: meddler)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Results(prefetcher)
        meddler.change.withLock { $0 = { [weak prefetcher] in prefetcher?.stopPrefetching() } }
        prefetcher.startPrefetching(with: requests(1))
        try await eventually { meddler.tasks.withLock { $0.first?.state == .cancelled } }
        #expect(results.all.isEmpty)
    }

    @Test func droppingItCancels() async throws {
        let pipeline = ImagePipeline.testing(loader, counter)
        var prefetcher: ImagePrefetcher? = ImagePrefetcher(pipeline: pipeline)
        prefetcher?.startPrefetching(with: requests(1))
        let load = await loader.load(0)
        prefetcher = nil
        try await eventually { load.isCancelled }
    }
}
