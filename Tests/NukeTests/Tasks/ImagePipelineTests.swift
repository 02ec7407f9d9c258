import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import TestSupport
import Testing

@Suite("ImagePipeline loads data", .timeLimit(.minutes(10)))
struct ImagePipelineTests {
    private let gate = Gate()

    /// Answers each path with itself, the paths that begin with `/held` only when the gate is open.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { [gate] request in
            if request.path == "/missing" { return .status(404) }
            if request.path == "/empty" { return .data(Data()) }
            var response = LoopbackServer.Response.data(Data(request.path.utf8))
            if request.path.hasPrefix("/held") {
                response.hold = { if $0 == .beforeHead { gate.wait() } }
            }
            return response
        }
    }

    private func pipeline(_ configure: (inout ImagePipeline.Configuration) -> Void = { _ in })
        -> ImagePipeline
    {
        var configuration = ImagePipeline.Configuration(dataLoader: CurlDataLoader())
        configure(&configuration)
        return ImagePipeline(configuration: configuration)
    }

    private func error(_ body: () async throws -> Void) async -> ImagePipeline.Error? {
        do {
            try await body()
            return nil
        } catch {
            return error as? ImagePipeline.Error
        }
    }

    @Test(arguments: [true, false])
    func bringsDataAndResponse(isSlotted: Bool) async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline {
            if !isSlotted { $0.dataLoader = DataLoader() }
        }
        let (data, response) = try await pipeline.data(for: ImageRequest(url: server.url("/a")))
        #expect(data == Data("/a".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test func equalRequestsShareADownload() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline()
        let queue = pipeline.configuration.dataLoadingQueue
        queue.isSuspended = true
        let tasks = (0..<10).map { _ in pipeline.dataTask(with: ImageRequest(url: server.url("/held"))) }
        for task in tasks { try await queue.waitUntilJoined { task.priority = $0 } }
        queue.isSuspended = false
        _ = await server.requests(atLeast: 1)
        // Joined or not is a matter of time.
        let late = pipeline.dataTask(with: ImageRequest(url: server.url("/held")))
        gate.open()
        for task in tasks + [late] { #expect(try await task.value.0 == Data("/held".utf8)) }
        #expect(server.requests.count <= 2)
        #expect(server.requests.filter { $0.path == "/held" }.count == server.requests.count)
    }

    @Test func requestsThatDifferDoNotShareADownload() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline()
        var other = URLRequest(url: server.url("/held"))
        other.setValue("other", forHTTPHeaderField: "Accept")
        var post = URLRequest(url: server.url("/held"))
        post.httpMethod = "POST"
        let tasks = [URLRequest(url: server.url("/held")), other, post].map {
            pipeline.dataTask(with: ImageRequest(urlRequest: $0))
        }
        _ = await server.requests(atLeast: 3)
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(server.requests.count == 3)
    }

    @Test func coalescingCanBeSwitchedOff() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline { $0.isTaskCoalescingEnabled = false }
        let tasks = (0..<2).map { _ in pipeline.dataTask(with: ImageRequest(url: server.url("/held"))) }
        _ = await server.requests(atLeast: 2)
        gate.open()
        for task in tasks { _ = try await task.value }
    }

    @Test func theLastCancellationEndsTheDownload() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline()
        let queue = pipeline.configuration.dataLoadingQueue
        queue.isSuspended = true
        let one = pipeline.dataTask(with: ImageRequest(url: server.url("/held")))
        let two = pipeline.dataTask(with: ImageRequest(url: server.url("/held")))
        for task in [one, two] { try await queue.waitUntilJoined { task.priority = $0 } }
        queue.isSuspended = false
        _ = await server.requests(atLeast: 1)
        one.cancel()
        #expect(await error { _ = try await one.value }?.description == "The image task was cancelled.")
        #expect(server.abandoned.isEmpty)
        two.cancel()
        #expect(await error { _ = try await two.value }?.description == "The image task was cancelled.")
        gate.open()
        // The slot in the queue is free again.
        _ = try await pipeline.data(for: ImageRequest(url: server.url("/next")))
    }

    @Test func cancellingTheCallingTaskCancels() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline()
        let url = server.url("/held")
        let task = Task { try await pipeline.data(for: ImageRequest(url: url)) }
        _ = await server.requests(atLeast: 1)
        task.cancel()
        let error = await error { _ = try await task.value }
        if case .cancelled = error {} else { Issue.record("not cancelled: \(String(describing: error))") }
        gate.open()
    }

    @Test func invalidationCancelsAndRefuses() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline()
        let task = pipeline.dataTask(with: ImageRequest(url: server.url("/held")))
        _ = await server.requests(atLeast: 1)
        pipeline.invalidate()
        let first = await error { _ = try await task.value }
        if case .cancelled = first {} else { Issue.record("not cancelled: \(String(describing: first))") }
        let second = await error { _ = try await pipeline.data(for: ImageRequest(url: server.url("/a"))) }
        if case .pipelineInvalidated = second {} else { Issue.record("not refused") }
        gate.open()
    }

    @Test func failuresSayWhy() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline { $0.maximumResponseDataSize = 10 }
        let missing = await error {
            _ = try await pipeline.data(for: ImageRequest(url: server.url("/missing")))
        }
        #expect((missing?.dataLoadingError as? DataLoadingError)?.statusCode == 404)
        #expect(
            missing?.description.hasPrefix("Failed to load image data. Underlying error: ") == true
        )
        let empty = await error { _ = try await pipeline.data(for: ImageRequest(url: server.url("/empty"))) }
        #expect(empty?.description == "Data loader returned empty data.")
        let none = await error { _ = try await pipeline.data(for: ImageRequest(url: nil)) }
        #expect((none?.dataLoadingError as? URLError)?.code == .badURL)
        let large = await error {
            _ = try await pipeline.data(for: ImageRequest(url: server.url("/more-than-ten-bytes")))
        }
        if case .dataDownloadExceededMaximumSize = large {} else { Issue.record("not too large") }
        let dontLoad = ImageRequest(url: server.url("/a"), options: .returnCacheDataDontLoad)
        let uncached = await error { _ = try await pipeline.data(for: dontLoad) }
        #expect(uncached?.description == "Failed to load data from cache and download is disabled.")
    }

    @Test func closuresBringData() async throws {
        let pipeline = pipeline()
        let request = ImageRequest(id: "id", data: { Data([1]) })
        #expect(try await pipeline.data(for: request).0 == Data([1]))
        struct Broken: Error {}
        let failing = ImageRequest(id: "broken", data: { throw Broken() })
        #expect(await error { _ = try await pipeline.data(for: failing) }?.dataLoadingError is Broken)
    }

    @Test func theMostUrgentGoesFirst() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline { $0.dataLoadingQueue.maxConcurrentOperationCount = 1 }
        let first = pipeline.dataTask(with: ImageRequest(url: server.url("/held")))
        _ = await server.requests(atLeast: 1)
        let names = ["low", "normal", "high", "raised"]
        let priorities: [ImageRequest.Priority] = [.low, .normal, .high, .veryLow]
        let tasks = zip(names, priorities).map { name, priority in
            pipeline.dataTask(with: ImageRequest(url: server.url("/\(name)"), priority: priority))
        }
        let queue = pipeline.configuration.dataLoadingQueue
        try await eventually { queue.operationCount >= 5 }
        tasks[3].priority = .veryHigh
        try await eventually { queue.operations.contains { $0.queuePriority == .veryHigh } }
        gate.open()
        for task in tasks + [first] { _ = try await task.value }
        #expect(server.requests.map(\.path) == ["/held", "/raised", "/high", "/normal", "/low"])
    }

    @Test func aJoinedRequestRaisesThePriority() async throws {
        let server = try server()
        defer { server.stop() }
        let pipeline = pipeline { $0.dataLoadingQueue.maxConcurrentOperationCount = 1 }
        let first = pipeline.dataTask(with: ImageRequest(url: server.url("/held")))
        _ = await server.requests(atLeast: 1)
        let normal = pipeline.dataTask(with: ImageRequest(url: server.url("/normal")))
        let low = pipeline.dataTask(with: ImageRequest(url: server.url("/low"), priority: .low))
        let queue = pipeline.configuration.dataLoadingQueue
        try await eventually { queue.operationCount >= 3 }
        let joined = pipeline.dataTask(with: ImageRequest(url: server.url("/low"), priority: .high))
        try await eventually { queue.operations.contains { $0.queuePriority == .high } }
        gate.open()
        for task in [first, normal, low, joined] { _ = try await task.value }
        #expect(server.requests.map(\.path) == ["/held", "/low", "/normal"])
    }
}
