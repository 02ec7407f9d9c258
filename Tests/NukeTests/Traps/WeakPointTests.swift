import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

/// Weak points of Nuke that the library does not have: of scheduling, keys and the disk; numbered as in `Rows.swift`.
@Suite("Weak points of Nuke, better here", .timeLimit(.minutes(10)))
struct WeakPointTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ name: String = "cache") throws -> DataCache {
        try DataCache(unsweptAt: URL(fileURLWithPath: folder.path(name)))
    }

    @Test("19.1 Who waits for a host's rate goes by priority: the most urgent first, though it came last")
    func theRateIsGivenByPriority() async throws {
        let first = Gate()
        let server = try LoopbackServer { request in
            var response = LoopbackServer.Response.data(Data(request.path.utf8))
            if request.path == "/first" { response.hold = { if $0 == .beforeHead { first.wait() } } }
            return response
        }
        let host = HostRateLimiter.host(of: server.url())
        let rateLimiter = HostRateLimiter(limits: .init(rate: 50, burst: 1, concurrency: 1))
        var configuration = CurlDataLoader.Configuration()
        configuration.rateLimiter = rateLimiter
        let pipeline = ImagePipeline { $0.dataLoader = CurlDataLoader(configuration: configuration) }
        var tasks = [pipeline.dataTask(with: ImageRequest(url: server.url("/first")))]
        _ = await server.requests(atLeast: 1)
        let priorities: [ImageRequest.Priority] = [.low, .low, .normal, .veryHigh]
        for (number, priority) in priorities.enumerated() {
            let request = ImageRequest(url: server.url("/\(number)"), priority: priority)
            tasks.append(pipeline.dataTask(with: request))
            try await rateLimiter.wait(for: number + 1, at: host)
        }
        // They hold none of the slots of the queue meanwhile.
        #expect(pipeline.configuration.dataLoadingQueue.operationCount == 1)
        first.open()
        for task in tasks { _ = try await task.value }
        #expect(server.requests.map(\.path) == ["/first", "/3", "/2", "/0", "/1"])
    }

    @Test("19.2 Keys of processed images keep their parts apart, so that no two requests share one")
    func keysKeepTheirPartsApart() throws {
        let cache = try cache()
        let pipeline = ImagePipeline { $0.dataCache = cache }
        func request(_ url: String, _ ids: String...) -> ImageRequest {
            ImageRequest(url: URL(string: url), processors: ids.map { .process(id: $0) { $0 } })
        }
        let requests = [
            request("http://h/a", "b", "c"), request("http://h/a", "bc"), request("http://h/ab", "c"),
            request("http://h/abc"), request("http://h/a", "", "bc"),
        ]
        for (number, request) in requests.enumerated() {
            pipeline.cache.storeCachedData(Data([UInt8(number)]), for: request)
        }
        cache.flush()
        #expect(requests.map { pipeline.cache.cachedData(for: $0)?.first } == [0, 1, 2, 3, 4])
        #expect(cache.totalCount == 5)
    }

    @Test("19.3 A file of the cache is whole or not there, whoever reads it and when")
    func filesAreWholeWhenTheyAreSeen() async throws {
        let cache = try cache()
        let size = 400_000
        let file = try #require(cache.url(for: "a"))
        cache["a"] = Data(repeating: 0, count: size)
        cache.flush()
        let isOver = Atomic(false)
        let torn = Atomic(0)
        let reads = Atomic(0)
        let readers = DispatchGroup()
        for _ in 0..<2 {
            readers.enter()
            Thread.detachNewThread {
                repeat {
                    guard let data = try? Data(contentsOf: file) else { continue }
                    reads.add(1, ordering: .relaxed)
                    if data.count != size || data.first != data.last { torn.add(1, ordering: .relaxed) }
                } while !isOver.load(ordering: .relaxed)
                readers.leave()
            }
        }
        for round in 1...60 { try await cache.store(Data(repeating: UInt8(round), count: size), for: "a") }
        isOver.store(true, ordering: .relaxed)
        await withCheckedContinuation { continuation in
            readers.notify(queue: .global()) { continuation.resume() }
        }
        #expect(torn.load(ordering: .relaxed) == 0)
        #expect(reads.load(ordering: .relaxed) > 0)
    }

    @Test("19.4 The size limit holds after every write, not once a process")
    func theSizeLimitHoldsAfterEveryWrite() async throws {
        let cache = try cache()
        cache.sizeLimit = 50_000
        for number in 0..<40 {
            try await cache.store(Data(count: 10_000), for: "\(number)")
            #expect(cache.totalSize <= 50_000)
        }
        #expect(cache["39"] != nil && cache["0"] == nil)
    }

    @Test("19.5 A write that fails is counted and told")
    func failedWritesAreTold() async throws {
        let cache = try cache()
        let file = try #require(cache.url(for: "a"))
        try Data().write(to: file.deletingLastPathComponent())
        cache["a"] = Data([1])
        cache.flush()
        #expect(cache.errorCount == 1)
        #expect("\(try #require(cache.lastError))".contains(folder.path))
        await #expect(throws: DataCacheError.self) { try await cache.waitUntilStored("a") }
    }

    @Test("19.6 What was flushed is there for another process at once; nothing waits for a timer")
    func whatWasFlushedIsThere() async throws {
        let cache = try cache()
        cache["a"] = Data("one".utf8)
        cache.flush()
        try await cache.store(Data("two".utf8), for: "b")
        for (key, text) in [("a", "one"), ("b", "two")] {
            let file = try #require(cache.url(for: key))
            let program = try Program(path: "/bin/cat", [file.path], in: folder.path)
            #expect(await program.wait().output == text)
        }
    }

    @Test("19.9 A request that may not write to the disk stores no encoded image either")
    func encodedImagesAreNotWrittenAgainstTheOptions() async throws {
        let file = try MadeImages.file(64, 48)
        let server = try LoopbackServer { _ in .data(file, type: "image/jpeg") }
        let cache = try cache()
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.dataCache = cache
            $0.imageCache = nil
            $0.dataCachePolicy = .storeAll
        }
        let resize: [any ImageProcessing] = [.resize(width: 32)]
        let url = server.url("/a")
        _ = try await pipeline.image(
            for: ImageRequest(url: url, processors: resize, options: .disableDiskCacheWrites)
        )
        // The encoder is serial: what it had before this one would be stored before it.
        let other = ImageRequest(url: server.url("/b"), processors: resize)
        _ = try await pipeline.image(for: other)
        try await eventually { pipeline.cache.containsData(for: other) }
        cache.flush()
        #expect(cache.totalCount == 2)
        #expect(!pipeline.cache.containsData(for: ImageRequest(url: url)))
    }
}
