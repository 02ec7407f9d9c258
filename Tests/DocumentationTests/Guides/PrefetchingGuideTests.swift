import LoopbackServer
import Nuke
import Synchronization
import TestSupport
import Testing

/// A list that brings its rows before they are shown.
@Suite("Guide: prefetching", .timeLimit(.minutes(10)))
struct PrefetchingGuideTests {
    /// The calls that such a list makes, named as in views on Apple platforms.
    private final class ListController: Sendable {
        let prefetcher: ImagePrefetcher
        let urls: [URL]

        init(pipeline: ImagePipeline, urls: [URL]) {
            prefetcher = ImagePrefetcher(pipeline: pipeline, destination: .memoryCache)
            self.urls = urls
        }

        func prefetchRows(at rows: [Int]) { prefetcher.startPrefetching(with: rows.map { urls[$0] }) }

        func cancelPrefetchingForRows(at rows: [Int]) {
            prefetcher.stopPrefetching(with: rows.map { urls[$0] })
        }

        func viewDidAppear() { prefetcher.isPaused = false }
        func viewWillDisappear() { prefetcher.isPaused = true }
    }

    private final class Ends: Sendable {
        private let count = Mutex(0)
        func add() { count.withLock { $0 += 1 } }
        func wait(for number: Int) async throws { try await eventually { count.withLock({ $0 }) >= number } }
    }

    @Test func rowsAreThereWhenTheyAreShown() async throws {
        let server = try Photographs.server()
        let pipeline = ImagePipeline { $0.imageCache = ImageCache() }
        let list = ListController(pipeline: pipeline, urls: (0..<12).map { server.url("/\($0)") })
        let ends = Ends()
        list.prefetcher.didComplete = { ends.add() }
        list.viewWillDisappear()
        list.prefetchRows(at: [0, 1, 2, 3])
        list.cancelPrefetchingForRows(at: [3])
        list.viewDidAppear()
        try await ends.wait(for: 1)
        let response = try await pipeline.imageTask(with: list.urls[2]).response
        #expect(response.cacheType == .memory)
        #expect(pipeline.cache[list.urls[3]] == nil)
        // What is there already is brought no more.
        list.prefetchRows(at: [0, 1])
        try await ends.wait(for: 2)
        #expect(server.requests.count == 3)
    }

    @Test func anImageThatIsShownGoesBeforeThoseThatAreBrought() async throws {
        let gate = Gate()
        let photo = try Photographs.jpeg()
        // Whichever of them comes first waits.
        let server = try LoopbackServer { _ in
            .init(
                headers: [("Content-Type", "image/jpeg")],
                body: .data(photo),
                hold: { if $0 == .beforeHead { gate.wait() } }
            )
        }
        let pipeline = ImagePipeline {
            $0.imageCache = ImageCache()
            $0.dataLoadingQueue.maxConcurrentOperationCount = 1
        }
        let prefetcher = ImagePrefetcher(pipeline: pipeline, maxConcurrentRequestCount: 4)
        let ends = Ends()
        prefetcher.didComplete = { ends.add() }
        prefetcher.startPrefetching(with: (0..<4).map { server.url("/\($0)") })
        _ = await server.requests(atLeast: 1)
        let queue = pipeline.configuration.dataLoadingQueue
        try await eventually { queue.operationCount >= 4 }
        let shown = pipeline.imageTask(with: server.url("/shown"))
        try await eventually { queue.operationCount >= 5 }
        gate.open()
        _ = try await shown.image
        try await ends.wait(for: 1)
        #expect(server.requests.count == 5)
        #expect(server.requests[1].path == "/shown")
    }
}
