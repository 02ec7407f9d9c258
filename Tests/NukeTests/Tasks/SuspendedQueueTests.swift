import Foundation
import FoundationNetworking
import Nuke
import TestSupport
import Testing

/// Waiting work is visible in the configuration's queues, follows its task's priority, and leaves with its task.
@Suite("A suspended queue", .timeLimit(.minutes(10)))
struct SuspendedQueueTests {
    private let loader = QueuedLoader()
    private let counter = Counter()
    private let request: ImageRequest = "http://example.com/a.jpg"

    typealias Queue = any KeyPath<ImagePipeline.Configuration, OperationQueue> & Sendable

    private var processed: ImageRequest {
        ImageRequest(url: request.url, processors: [Mark("a", counter)])
    }

    private func pipeline(
        suspending queue: Queue,
        _ configure: (inout ImagePipeline.Configuration) -> Void = { _ in }
    ) -> ImagePipeline {
        ImagePipeline.testing(loader, counter) {
            $0.imageCache = nil
            configure(&$0)
            $0[keyPath: queue].isSuspended = true
        }
    }

    /// The queues that an image of the network passes on its way.
    static let stages: [Queue] = [\.dataLoadingQueue, \.imageDecodingQueue, \.imageProcessingQueue]

    @Test(arguments: stages)
    func holdsTheWorkUntilItGoesOn(queue: Queue) async throws {
        let pipeline = pipeline(suspending: queue)
        let waiting = pipeline.configuration[keyPath: queue]
        let task = pipeline.imageTask(with: processed)
        try await eventually { waiting.operationCount == 1 }
        #expect(waiting.operations.first?.queuePriority == .normal)
        #expect(waiting.operations.first?.isExecuting == false)
        #expect(task.state == .running)
        waiting.isSuspended = false
        #expect(try await task.response.container.marks == ["a"])
        try await eventually { waiting.operationCount == 0 }
    }

    @Test(arguments: stages)
    func aTasksPriorityReachesTheOperation(queue: Queue) async throws {
        let pipeline = pipeline(suspending: queue)
        let waiting = pipeline.configuration[keyPath: queue]
        var low = processed
        low.priority = .low
        let task = pipeline.imageTask(with: low)
        try await eventually { waiting.operationCount == 1 }
        let operation = try #require(waiting.operations.first)
        #expect(operation.queuePriority == .low)
        let all: [(ImageRequest.Priority, Operation.QueuePriority)] = [
            (.veryLow, .veryLow), (.normal, .normal), (.high, .high), (.veryHigh, .veryHigh), (.low, .low),
        ]
        for (priority, expected) in all {
            task.priority = priority
            try await eventually { operation.queuePriority == expected }
        }
        // Another request for it raises the priority; when that is cancelled it falls again.
        var high = processed
        high.priority = .high
        let other = pipeline.imageTask(with: high)
        try await eventually { operation.queuePriority == .high }
        other.priority = .veryHigh
        try await eventually { operation.queuePriority == .veryHigh }
        other.cancel()
        try await eventually { operation.queuePriority == .low }
        #expect(waiting.operationCount == 1)
        task.cancel()
    }

    @Test(arguments: stages)
    func theOperationIsCancelledWithTheLastTask(queue: Queue) async throws {
        let pipeline = pipeline(suspending: queue)
        let waiting = pipeline.configuration[keyPath: queue]
        let tasks = [processed, processed].map(pipeline.imageTask)
        try await eventually { waiting.operationCount == 1 }
        let operation = try #require(waiting.operations.first)
        tasks[0].cancel()
        await #expect(throws: ImagePipeline.Error.self) { try await tasks[0].image }
        #expect(!operation.isCancelled)
        tasks[1].cancel()
        try await eventually { operation.isCancelled }
        // Foundation counts it until the queue goes on.
        waiting.isSuspended = false
        try await eventually { waiting.operationCount == 0 }
        #expect(counter["a"] == 0)
    }

    @Test func processorsWaitAndAreCancelledSeparately() async throws {
        let pipeline = pipeline(suspending: \.imageProcessingQueue)
        let waiting = pipeline.configuration.imageProcessingQueue
        let first = pipeline.imageTask(with: processed)
        try await eventually { waiting.operationCount == 1 }
        let second = pipeline.imageTask(
            with: ImageRequest(url: request.url, processors: [Mark("b", counter)])
        )
        try await eventually { waiting.operationCount == 2 }
        let operation = try #require(waiting.operations.last)
        second.cancel()
        try await eventually { operation.isCancelled }
        waiting.isSuspended = false
        #expect(try await first.response.container.marks == ["a"])
        #expect(counter["b"] == 0)
    }

    @Test func encodingWaitsAfterTheImageIsDelivered() async throws {
        let cache = DictionaryCache()
        let pipeline = pipeline(suspending: \.imageEncodingQueue) {
            $0.dataCache = cache
            $0.dataCachePolicy = .storeEncodedImages
        }
        _ = try await pipeline.image(for: request)
        let waiting = pipeline.configuration.imageEncodingQueue
        try await eventually { waiting.operationCount == 1 }
        #expect(cache.keys.isEmpty)
        waiting.isSuspended = false
        try await cache.waits(for: 1)
        #expect(cache.keys == ["http://example.com/a.jpg"])
    }

    @Test func readsOfTheDataCacheWaitInTheirQueue() async throws {
        let cache = DictionaryCache()
        cache.storeData(Data([1]), for: "http://example.com/a.jpg")
        let pipeline = pipeline(suspending: \.dataCachingQueue) { $0.dataCache = cache }
        #expect(pipeline.configuration.dataCachingQueue.maxConcurrentOperationCount == 2)
        let task = pipeline.imageTask(with: request)
        try await eventually { pipeline.configuration.dataCachingQueue.operationCount == 1 }
        pipeline.configuration.dataCachingQueue.isSuspended = false
        #expect(try await task.response.cacheType == .disk)
        #expect(loader.createdTaskCount == 0)
    }

    @Test func closuresAndLocalFilesWaitInTheLoadingQueue() async throws {
        let pipeline = pipeline(suspending: \.dataLoadingQueue)
        let waiting = pipeline.configuration.dataLoadingQueue
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: try folder.write(Data([1, 2]), to: "a"))
        let requests = [
            ImageRequest(url: file), ImageRequest(id: "data", data: { Data([3]) }),
            ImageRequest(id: "image", image: { ImageContainer(image: PlatformImage()) }),
        ]
        let tasks = requests.map(pipeline.imageTask)
        try await eventually { waiting.operationCount == 3 }
        for task in tasks { task.priority = .high }
        try await eventually { waiting.operations.allSatisfy { $0.queuePriority == .high } }
        waiting.isSuspended = false
        for task in tasks { _ = try await task.response }
    }

    @Test func aRequestMayPassTheLoadingQueueBy() async throws {
        let pipeline = pipeline(suspending: \.dataLoadingQueue)
        var fast = request
        fast.options = .skipDataLoadingQueue
        #expect(try await pipeline.image(for: fast).width == 1)
        let closure = ImageRequest(id: "data", data: { Data([3]) }, options: .skipDataLoadingQueue)
        #expect(try await pipeline.data(for: closure).0 == Data([3]))
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: try folder.write(Data([1, 2]), to: "a"))
        let local = ImageRequest(url: file, options: .skipDataLoadingQueue)
        #expect(try await pipeline.data(for: local).0 == Data([1, 2]))
        #expect(pipeline.configuration.dataLoadingQueue.operationCount == 0)
    }
}
