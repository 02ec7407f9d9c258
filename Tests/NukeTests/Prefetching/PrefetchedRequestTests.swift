import Foundation
import Nuke
import Synchronization
import TestSupport
import Testing

/// The requests that a prefetcher sends to its pipeline, and the time of its completion.
@Suite("ImagePrefetcher asks for images", .timeLimit(.minutes(10)))
struct PrefetchedRequestTests {
    private let loader = QueuedLoader()
    private let counter = Counter()
    private let images = CountingImageCache()
    private let data = CountingDataCache()
    private let request: ImageRequest = "http://example.com/a.jpg"

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        ImagePipeline.testing(loader, counter) {
            $0.imageCache = images
            $0.dataCache = data
            configure(&$0)
        }
    }

    /// Counts the calls of `didComplete`, whose type says that they are on the main actor.
    private func counting(_ prefetcher: ImagePrefetcher) -> Counter {
        let counter = Counter()
        prefetcher.didComplete = { counter.add("done") }
        return counter
    }

    @Test func anImageIsThenInBothCaches() async throws {
        let pipeline = pipeline()
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let done = counting(prefetcher)
        prefetcher.startPrefetching(with: [request])
        try await eventually { done["done"] == 1 }
        #expect(pipeline.cache[request] != nil && pipeline.cache.cachedData(for: request) != nil)
        #expect(done["done"] == 1)
    }

    @Test func itIsCompleteOnceThoughTheFirstEndsBeforeTheLastIsAdded() async throws {
        let pipeline = pipeline()
        let cached: ImageRequest = "http://example.com/b.jpg"
        _ = try await pipeline.image(for: cached)
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let done = counting(prefetcher)
        let firstEnded = DispatchSemaphore(value: 0)
        prefetcher.didFinish = { [request] finished, _ in
            if finished.url == request.url { firstEnded.signal() } else { firstEnded.wait() }
        }
        // On a thread of its own, as it waits there.
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [request] in
                prefetcher.startPrefetching(with: [request, cached])
                continuation.resume()
            }
        }
        try await eventually { done["done"] > 0 }
        await MainActor.run {}
        #expect(done["done"] == 1)
    }

    @Test func aRequestMadeMeanwhileSharesTheLoad() async throws {
        loader.isSuspended = true
        let pipeline = pipeline()
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.startPrefetching(with: [request])
        try await eventually { loader.createdTaskCount == 1 }
        let task = pipeline.imageTask(with: request)
        task.priority = .high
        try await eventually {
            pipeline.configuration.dataLoadingQueue.operations.contains { $0.queuePriority == .high }
        }
        loader.isSuspended = false
        _ = try await task.image
        #expect(loader.createdTaskCount == 1)
        // Stopped, it ends what nobody else wants.
        loader.isSuspended = true
        prefetcher.startPrefetching(with: ["http://example.com/b.jpg"])
        try await eventually { loader.createdTaskCount == 2 }
        prefetcher.stopPrefetching()
        try await eventually { loader.cancelledTaskCount == 1 }
    }

    @Test(arguments: [ImageRequest.Priority.veryLow, .normal, .veryHigh])
    func itsPriorityReplacesTheRequests(own: ImageRequest.Priority) async throws {
        let pipeline = pipeline { $0.dataLoadingQueue.isSuspended = true }
        let queue = pipeline.configuration.dataLoadingQueue
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        prefetcher.startPrefetching(with: [ImageRequest(url: request.url, priority: own)])
        try await eventually { queue.operationCount == 1 }
        let operation = try #require(queue.operations.first)
        #expect(operation.queuePriority == .low)
        prefetcher.priority = .veryLow
        try await eventually { operation.queuePriority == .veryLow }
        prefetcher.stopPrefetching()
        try await eventually { operation.isCancelled }
    }

    @Test func anImageInMemoryIsSkippedAndOneOnDiskIsNot() async throws {
        let pipeline = pipeline()
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let done = counting(prefetcher)
        data.storeData(Data([1]), for: "http://example.com/a.jpg")
        prefetcher.startPrefetching(with: [request])
        try await eventually { done["done"] == 1 }
        #expect(data.reads.count == 1 && pipeline.cache[request] != nil && loader.createdTaskCount == 0)
        data.resetCounts()
        prefetcher.startPrefetching(with: [request])
        try await eventually { done["done"] == 2 }
        #expect(data.reads.isEmpty)
        // A preview is no image.
        pipeline.cache[request] = ImageContainer(image: PlatformImage(), isPreview: true)
        prefetcher.startPrefetching(with: [request])
        try await eventually { done["done"] == 3 }
        #expect(pipeline.cache[request]?.isPreview == false)
    }

    @Test func whatIsOutstandingIsNotAskedForTwice() async throws {
        loader.isSuspended = true
        let pipeline = pipeline()
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let done = counting(prefetcher)
        for _ in 0..<3 { prefetcher.startPrefetching(with: [request, request]) }
        try await eventually { loader.createdTaskCount == 1 }
        loader.isSuspended = false
        try await eventually { done["done"] == 1 }
        #expect(counter["decode"] == 1 && loader.createdTaskCount == 1)
    }

    @Test func itIsDoneWhenTheLastIsStoppedAndNotWhenAllAre() async throws {
        loader.isSuspended = true
        let prefetcher = ImagePrefetcher(pipeline: pipeline())
        let done = counting(prefetcher)
        prefetcher.startPrefetching(with: [request])
        try await eventually { loader.createdTaskCount == 1 }
        prefetcher.stopPrefetching(with: ["http://example.com/unknown.jpg"] as [ImageRequest])
        prefetcher.stopPrefetching(with: [request])
        try await eventually { done["done"] == 1 && loader.cancelledTaskCount == 1 }
        prefetcher.startPrefetching(with: [request])
        try await eventually { loader.createdTaskCount == 2 }
        prefetcher.stopPrefetching()
        try await eventually { loader.cancelledTaskCount == 2 }
        await MainActor.run {}
        #expect(done["done"] == 1)
    }

    @Test func aPausedOneGoesOnWithWhatItHadBegun() async throws {
        loader.isSuspended = true
        let prefetcher = ImagePrefetcher(pipeline: pipeline(), maxConcurrentRequestCount: 1)
        let done = counting(prefetcher)
        prefetcher.startPrefetching(with: [request, "http://example.com/b.jpg"])
        try await eventually { loader.createdTaskCount == 1 }
        prefetcher.isPaused = true
        loader.isSuspended = false
        try await eventually { images.writes == 1 }
        #expect(loader.createdTaskCount == 1 && done["done"] == 0)
        prefetcher.isPaused = false
        try await eventually { done["done"] == 1 }
        #expect(loader.createdTaskCount == 2)
    }
}
