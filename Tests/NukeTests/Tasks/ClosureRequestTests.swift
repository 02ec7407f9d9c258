import Foundation
import FoundationNetworking
import Nuke
import Synchronization
import TestSupport
import Testing

/// Requests whose data or image a closure brings.
@Suite("Requests with closures", .timeLimit(.minutes(10)))
struct ClosureRequestTests {
    private let loader = QueuedLoader()
    private let counter = Counter()
    private let cache = CountingDataCache()

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        ImagePipeline.testing(loader, counter) {
            $0.imageCache = nil
            $0.dataCache = cache
            configure(&$0)
        }
    }

    private func request(_ id: String = "mine", _ data: Data = Data([1, 2])) -> ImageRequest {
        ImageRequest(
            id: id,
            data: { [counter] in
                counter.add("closure")
                return data
            }
        )
    }

    @Test func dataIsKeptUnderItsID() async throws {
        let pipeline = pipeline()
        #expect(try await pipeline.imageTask(with: request()).response.cacheType == nil)
        #expect(cache.entries == ["mine": Data([1, 2])])
        #expect(try await pipeline.imageTask(with: request()).response.cacheType == .disk)
        #expect(counter["closure"] == 1 && loader.createdTaskCount == 0)
    }

    @Test func noDataIsAnError() async throws {
        let error = await pipelineError { _ = try await pipeline().image(for: request("empty", Data())) }
        #expect(error?.description == "Data loader returned empty data.")
        #expect(cache.entries.isEmpty)
    }

    @Test func equalIDsShareTheWork() async throws {
        let pipeline = pipeline { $0.dataLoadingQueue.isSuspended = true }
        let queue = pipeline.configuration.dataLoadingQueue
        let tasks = [request(), request()].map(pipeline.imageTask)
        let other = pipeline.imageTask(with: request("other"))
        try await eventually { queue.operationCount == 2 }
        tasks[1].priority = .high
        try await eventually { queue.operations.contains { $0.queuePriority == .high } }
        queue.isSuspended = false
        for task in tasks + [other] { _ = try await task.image }
        #expect(counter["closure"] == 2 && counter["decode"] == 2)
    }

    @Test func whatAClosureThrowsIsTheCause() async throws {
        struct Broken: Error {}
        let data = ImageRequest(id: "a", data: { throw Broken() })
        let image = ImageRequest(id: "b", image: { throw Broken() })
        for request in [data, image] {
            let error = await pipelineError { _ = try await pipeline().image(for: request) }
            #expect(error?.dataLoadingError is Broken)
        }
    }

    @Test(arguments: [ImageRequest.Options(), .skipDataLoadingQueue])
    func theCancellationOfSomethingElseIsAFailure(options: ImageRequest.Options) async throws {
        for cause in [CancellationError(), ImagePipeline.Error.cancelled] as [any Error] {
            let data = ImageRequest(id: "a", data: { throw cause }, options: options)
            let image = ImageRequest(id: "b", image: { throw cause }, options: options)
            for request in [data, image] {
                let error = await pipelineError { _ = try await pipeline().image(for: request) }
                #expect(error?.dataLoadingError.map { "\($0)" } == "\(cause)")
            }
        }
    }

    @Test func itsTaskIsCancelledWithTheRequest() async throws {
        let begun = Atomic(false)
        let ended = Atomic(false)
        let request = ImageRequest(
            id: "long",
            data: {
                begun.store(true, ordering: .releasing)
                defer { ended.store(true, ordering: .releasing) }
                // Nothing ends it but its task's cancellation.
                for await _ in AsyncStream<Void>.makeStream().stream {}
                return Data([1])
            }
        )
        let task = pipeline().imageTask(with: request)
        try await eventually { begun.load(ordering: .acquiring) }
        task.cancel()
        try await eventually { ended.load(ordering: .acquiring) }
        #expect(task.state == .cancelled)
    }

    @Test func imagesAreProcessedAndNeverOnDisk() async throws {
        let memory = CountingImageCache()
        let pipeline = pipeline {
            $0.imageCache = memory
            $0.dataCachePolicy = .storeAll
        }
        let request = ImageRequest(
            id: "mine",
            image: { ImageContainer(image: PlatformImage(width: 3, height: 1, rgba: Data(count: 12))) },
            processors: [Mark("a")]
        )
        let response = try await pipeline.imageTask(with: request).response
        #expect(response.image.width == 3 && response.container.marks == ["a"])
        #expect(memory.writes == 1 && counter["decode"] == 0)
        // What was to be encoded would have been before the image of another request.
        _ = try await pipeline.image(
            for: ImageRequest(url: URL(string: "http://h/b"), processors: [Mark("a")])
        )
        try await eventually { cache.entries.count == 2 }
        #expect(cache.entries.keys.allSatisfy { $0.contains("http://h/b") })
        #expect(cache.reads.allSatisfy { $0.contains("http://h/b") })
    }
}
