import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

/// Weak points of Nuke that the library does not have: of loading.
extension WeakPointTests {
    @Test("19.10 Requests that differ in method or header fields do not share a download")
    func downloadsAreSharedByWhatMatters() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            var response = LoopbackServer.Response.data(
                Data("\(request.method) \(request.headers["x-size"] ?? "")".utf8)
            )
            response.hold = { if $0 == .beforeHead { gate.wait() } }
            return response
        }
        let pipeline = ImagePipeline { $0.dataLoader = CurlDataLoader() }
        func task(_ method: String, _ size: String) -> DataTask {
            var request = URLRequest(url: server.url("/a"))
            request.httpMethod = method
            request.setValue(size, forHTTPHeaderField: "X-Size")
            return pipeline.dataTask(with: ImageRequest(urlRequest: request))
        }
        let tasks = [task("GET", "1"), task("GET", "2"), task("POST", "1"), task("GET", "1")]
        _ = await server.requests(atLeast: 3)
        gate.open()
        var texts: [String] = []
        for task in tasks { texts.append(String(decoding: try await task.value.0, as: UTF8.self)) }
        #expect(texts == ["GET 1", "GET 2", "POST 1", "GET 1"])
        #expect(server.requests.count == 3)
    }

    @Test(
        "19.11 A download goes on only where the server proves that it can: range, strong tag, plain bytes",
        arguments: ["bytes 50-199/200", "bytes 0-199/200", "weak", "gzip", "too large"]
    )
    func onlyWhatFitsIsResumed(lie: String) async throws {
        let body = Data((0..<200).map { UInt8($0) })
        let server = try LoopbackServer { request in
            var headers = [("ETag", lie == "weak" ? "W/\"1\"" : "\"1\""), ("Accept-Ranges", "bytes")]
            if lie == "gzip" { headers.append(("Content-Encoding", "x-own")) }
            if request.headers["range"] != nil {
                return .init(
                    status: 206,
                    headers: headers + [("Content-Range", lie)],
                    body: .data(body.suffix(100))
                )
            }
            let isFirst = request.headers["x-try"] == "1"
            return .init(
                headers: headers,
                body: isFirst ? .truncated(body.prefix(100), declaredLength: 200) : .data(body)
            )
        }
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.maximumResponseDataSize = lie == "too large" ? 150 : nil
        }
        var request = URLRequest(url: server.url())
        request.setValue("1", forHTTPHeaderField: "X-Try")
        await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline.data(for: ImageRequest(urlRequest: request))
        }
        request.setValue("2", forHTTPHeaderField: "X-Try")
        if lie == "too large" {
            // What was refused for its size is not the beginning of another try.
            await #expect(throws: ImagePipeline.Error.self) {
                try await pipeline.data(for: ImageRequest(urlRequest: request))
            }
        } else {
            #expect(try await pipeline.data(for: ImageRequest(urlRequest: request)).0 == body)
        }
        let ranges = server.requests.filter { $0.headers["range"] != nil }.count
        #expect(ranges == (lie.hasPrefix("bytes") ? 1 : 0))
    }

    @Test("19.12 Local files are read on the loading queue: who waits for the disk holds nobody else up")
    func localFilesAreReadOnTheLoadingQueue() async throws {
        let folder = try TemporaryFolder()
        let file = URL(fileURLWithPath: try folder.write(try MadeImages.file(8, 8), to: "a.jpg"))
        let pipeline = ImagePipeline { $0.imageCache = ImageCache() }
        let queue = pipeline.configuration.dataLoadingQueue
        queue.isSuspended = true
        let local = pipeline.imageTask(with: file)
        try await eventually { queue.operationCount == 1 }
        pipeline.cache["http://h/cached"] = ImageContainer(image: PlatformImage())
        _ = try await pipeline.image(for: "http://h/cached")
        #expect(local.state == .running)
        queue.isSuspended = false
        #expect(try await local.image.width == 8)
    }

    @Test("19.13 The prefetcher tells what came of each request")
    func thePrefetcherTellsOfEachRequest() async throws {
        let server = try LoopbackServer { $0.path == "/missing" ? .status(404) : .data(Data([1])) }
        let pipeline = ImagePipeline.testing(CurlDataLoader())
        let prefetcher = ImagePrefetcher(pipeline: pipeline)
        let results = Mutex<[String: Bool]>([:])
        prefetcher.didFinish = { request, result in
            results.withLock { $0[request.url?.path ?? ""] = (try? result.get()) != nil }
        }
        prefetcher.startPrefetching(with: ["/a", "/missing", "/b"].map { server.url($0) })
        try await eventually { results.withLock { $0.count == 3 } }
        #expect(results.withLock { $0 } == ["/a": true, "/missing": false, "/b": true])
    }

    @Test("19.14 A load is tried again, not before the server wants it")
    func loadsAreTriedAgain() async throws {
        let answers = Mutex([
            LoopbackServer.Response.status(503, headers: [("Retry-After", "1")]), .status(500),
        ])
        let server = try LoopbackServer { _ in
            answers.withLock { $0.isEmpty ? nil : $0.removeFirst() } ?? .data(Data([1]))
        }
        var policy = RetryingDataLoader.Policy()
        policy.baseDelay = .milliseconds(1)
        let pipeline = ImagePipeline { $0.dataLoader = RetryingDataLoader(CurlDataLoader(), policy: policy) }
        #expect(try await pipeline.data(for: ImageRequest(url: server.url())).0 == Data([1]))
        let times = server.requests.map(\.arrival)
        #expect(times.count == 3 && times[0].duration(to: times[1]) >= .seconds(1))
    }

    @Test("19.15 What cannot be decoded is removed from the disk and loaded anew")
    func damagedEntriesAreRemoved() async throws {
        let file = try MadeImages.file(16, 16)
        let server = try LoopbackServer { _ in .data(file) }
        let folder = try TemporaryFolder()
        let cache = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.dataCache = cache
            $0.imageCache = nil
        }
        let request = ImageRequest(url: server.url())
        cache[server.url().absoluteString] = file.prefix(file.count / 2)
        cache.flush()
        let response = try await pipeline.imageTask(with: request).response
        #expect(response.image.width == 16 && response.cacheType == nil)
        #expect(pipeline.cache.cachedData(for: request) == file)
        #expect(try await pipeline.imageTask(with: request).response.cacheType == .disk)
    }

    @Test("19.16 A server's pipeline decodes, processes and encodes on every core")
    func allCoresAreUsed() {
        let configuration = ImagePipeline.Configuration.forServer(
            name: "com.github.kean.Nuke.Tests.\(UUID())"
        )
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let queues = [
            configuration.imageDecodingQueue, configuration.imageProcessingQueue,
            configuration.imageEncodingQueue,
        ]
        #expect(queues.map(\.maxConcurrentOperationCount) == [cores, cores, cores])
        #expect(configuration.dataLoadingQueue.maxConcurrentOperationCount == 16)
        if let cache = configuration.dataCache as? DataCache {
            cache.close()
            try? FileManager.default.removeItem(at: cache.path)
        }
    }

    @Test("19.17 Of a download that several share, each one's own key gets the original")
    func everyKeyGetsTheOriginal() async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in
            var response = LoopbackServer.Response.data(Data([7]))
            response.hold = { if $0 == .beforeHead { gate.wait() } }
            return response
        }
        let folder = try TemporaryFolder()
        let cache = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
        let pipeline = ImagePipeline.testing(DataLoader()) { $0.dataCache = cache }
        let tasks = ["one", "two", nil].map { id -> ImageTask in
            var request = ImageRequest(url: server.url("/a"))
            if let id { request.imageID = id }
            return pipeline.imageTask(with: request)
        }
        _ = await server.requests(atLeast: 1)
        let queue = pipeline.configuration.dataLoadingQueue
        for task in tasks { try await queue.waitUntilJoined { task.priority = $0 } }
        gate.open()
        for task in tasks { _ = try await task.image }
        cache.flush()
        for key in ["one", "two", server.url("/a").absoluteString] { #expect(cache[key] == Data([7])) }
        #expect(server.requests.count == 1)
    }

    @Test("19.18 Who joins a download has its own header fields in it, and moves it forward in the line")
    func whoJoinsIsHeeded() async throws {
        let gate = Gate()
        let server = try LoopbackServer { request in
            var response = LoopbackServer.Response.data(Data((request.headers["authorization"] ?? "").utf8))
            if request.path == "/held" { response.hold = { if $0 == .beforeHead { gate.wait() } } }
            return response
        }
        let pipeline = ImagePipeline {
            $0.dataLoader = CurlDataLoader()
            $0.dataLoadingQueue.maxConcurrentOperationCount = 1
        }
        func task(_ path: String, _ user: String, priority: ImageRequest.Priority) -> DataTask {
            var request = URLRequest(url: server.url(path))
            request.setValue(user, forHTTPHeaderField: "Authorization")
            return pipeline.dataTask(with: ImageRequest(urlRequest: request, priority: priority))
        }
        let held = task("/held", "a", priority: .normal)
        _ = await server.requests(atLeast: 1)
        let waiting = [
            task("/a", "a", priority: .low), task("/b", "a", priority: .normal),
            task("/a", "b", priority: .veryLow),
        ]
        let queue = pipeline.configuration.dataLoadingQueue
        try await eventually { queue.operationCount == 4 }
        let joined = task("/a", "a", priority: .high)
        try await eventually { queue.operations.contains { $0.queuePriority == .high } }
        gate.open()
        var texts: [String] = []
        for task in [held] + waiting + [joined] {
            texts.append(String(decoding: try await task.value.0, as: UTF8.self))
        }
        #expect(texts == ["a", "a", "a", "b", "a"])
        #expect(server.requests.map(\.path) == ["/held", "/a", "/b", "/a"])
    }
}
