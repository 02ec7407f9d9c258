import Foundation
import FoundationNetworking
import Glibc
import Imaging
import LoopbackServer
import Nuke
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

/// Differences of Foundation on Linux, which the library hides; numbered as in `Rows.swift`.
@Suite("Traps of Foundation on Linux", .timeLimit(.minutes(10)))
struct FoundationTrapTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache(_ name: String = "cache") throws -> DataCache {
        try DataCache(unsweptAt: URL(fileURLWithPath: folder.path(name)))
    }

    @Test("18.1 Responses are kept by the whole URL, whatever its length, and confirmed when they are stale")
    func responsesAreKeptByTheWholeURL() async throws {
        let server = try LoopbackServer { request in
            let isStale = request.path == "/stale"
            let headers = [("Cache-Control", isStale ? "max-age=0" : "max-age=60"), ("ETag", "\"1\"")]
            guard request.headers["if-none-match"] == nil else { return .init(status: 304, headers: headers) }
            return .init(headers: headers, body: .data(Data((request.path + "?" + request.query).utf8)))
        }
        let loader = HTTPCachingDataLoader(DataLoader(), cache: HTTPCache(storage: try cache()))
        let long = "/" + String(repeating: "long", count: 200)
        for path in ["/a?id=1", "/a?id=2", long + "?", "/stale?"] {
            for _ in 0..<2 { #expect(await loader.load(server.url(path)).text == path) }
        }
        let confirmations = server.requests.filter { $0.headers["if-none-match"] != nil }
        #expect(confirmations.map(\.path) == ["/stale"])
        #expect(server.requests.count == 5)
    }

    @Test("18.2 A response that is refused really ends: no byte of it, one end, and the transfer stops")
    func aRefusedResponseEnds() async throws {
        let server = try LoopbackServer { _ in .init(status: 404, body: .endless(Data(count: 100_000))) }
        let recorder = LoadRecorder()
        let loader = DataLoader()
        defer { withExtendedLifetime(loader) {} }
        _ = recorder.start(URLRequest(url: server.url()), on: loader)
        let outcome = await recorder.end()
        guard case .statusCodeUnacceptable(404)? = outcome.error as? DataLoader.Error else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        _ = await server.abandoned(atLeast: 1)
        #expect(recorder.outcome.chunks.isEmpty && recorder.outcome.completions == 1)
        #expect(!recorder.outcome.isLate)
    }

    /// 120,000 zeros, compressed to 151 bytes.
    private static let zeros = Data(
        base64Encoded: "H4sIAAAAAAACA+3BgQAAAADDoPlT3+AEVQE" + String(repeating: "A", count: 153)
            + "8AyZK0wzwNQBAA=="
    )

    @Test("18.3 Of compressed content the progress stays within the whole, and nothing of it is resumed")
    func compressedContentIsNotMeasuredByItsLength() async throws {
        let file = try #require(Self.zeros)
        let isCut = Atomic(true)
        let server = try LoopbackServer { _ in
            let isCut = isCut.exchange(false, ordering: .relaxed)
            return .init(
                headers: [("Content-Encoding", "gzip"), ("ETag", "\"1\""), ("Accept-Ranges", "bytes")],
                body: isCut ? .truncated(file.prefix(140), declaredLength: file.count) : .data(file)
            )
        }
        let pipeline = ImagePipeline.testing(DataLoader()) { $0.imageCache = nil }
        await #expect(throws: ImagePipeline.Error.self) {
            try await pipeline.image(for: ImageRequest(url: server.url()))
        }
        let task = pipeline.imageTask(with: server.url())
        var progress: [ImageTask.Progress] = []
        for await value in task.progress { progress.append(value) }
        _ = try await task.image
        #expect(progress.last?.completed == 120_000)
        #expect(progress.allSatisfy { $0.total < $0.completed ? $0.total == -1 : true })
        #expect(progress.allSatisfy { $0.fraction <= 1 })
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["range"] == nil })
    }

    @Test("18.4 The allocated size is what the files take on the disk", arguments: [1, 4_097, 1_048_576])
    func theAllocatedSizeIsThatOfTheBlocks(count: Int) throws {
        let cache = try cache()
        cache["a"] = Data(count: count)
        cache.flush()
        var status = stat()
        try #require(stat(try #require(cache.url(for: "a")).path, &status) == 0)
        #expect(cache.totalAllocatedSize == Int(status.st_blocks) * 512)
        #expect(cache.totalSize == count)
    }

    @Test("18.5 Transfers are timed though Foundation's metrics never come", arguments: [true, false])
    func transfersAreTimed(isCurl: Bool) async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 100_000)) }
        let log = NetworkLog()
        var configuration = CurlDataLoader.Configuration()
        configuration.observer = log.observer
        let curl = CurlDataLoader(configuration: configuration)
        let loader = isCurl ? log.watching(curl, reportsTransfers: true) : log.watching(DataLoader())
        _ = await loader.load(server.url())
        try await eventually { log.entries.count == 1 }
        let entry = try #require(log.entries.first)
        #expect(entry.timings.total > .zero && entry.responseBodyBytes == 100_000)
        if isCurl { #expect(entry.timings.connect != nil && entry.timings.wait > .zero) }
    }

    @Test("18.6 Files and data: URLs are read, whichever loader there is", arguments: [true, false])
    func localResourcesAreRead(isCurl: Bool) async throws {
        let image = try MadeImages.file(40, 30, as: .png())
        let file = URL(fileURLWithPath: try folder.write(image, to: "an image.png"))
        let text = "data:image/png;base64," + image.base64EncodedString()
        let loader: any DataLoading = isCurl ? CurlDataLoader() : DataLoader()
        let pipeline = ImagePipeline(configuration: .init(dataLoader: loader))
        for url in [file, try #require(URL(string: text))] {
            let request = ImageRequest(url: url, options: .disableMemoryCache)
            #expect(try await pipeline.image(for: request).width == 40)
        }
    }

    @Test("18.7 Identifiers write sizes as Nuke does on Apple systems, so that keys are the same")
    func identifiersWriteSizesAsCoreGraphicsDoes() {
        let resize = ImageProcessors.Resize(size: CGSize(width: 30, height: 30), unit: .pixels)
        #expect(
            resize.identifier
                == "com.github.kean/nuke/resize?s=(30.0, 30.0),cm=.aspectFill,crop=false,upscale=false"
        )
        let side = ImageProcessors.Resize(width: 30)
        #expect(
            side.identifier
                == "com.github.kean/nuke/resize?s=(30.0, 9999.0),cm=.aspectFit,crop=false,upscale=false"
        )
        #expect(!resize.description.contains("CGSize"))
    }

    @Test(
        "18.8 What Foundation lacks is the library's own: file names by SHA-1, and redirects that are followed"
    )
    func whatFoundationLacksIsOurOwn() async throws {
        #expect(DataCache.filename(for: "http://test.com") == "50334ee0b51600df6397ce93ceed4728c37fee4e")
        #expect(DataCache.filename(for: "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
        let server = try LoopbackServer {
            $0.path == "/b" ? .data(Data("here".utf8)) : .redirect(to: "/b")
        }
        for loader in [DataLoader(), CurlDataLoader()] as [any DataLoading] {
            #expect(await loader.load(server.url("/a")).text == "here")
        }
    }

    @Test(
        "18.9 What does work is relied on: header names in any case, and operations that can be moved and cancelled"
    )
    func whatWorksIsUsed() async throws {
        let body = Data((0..<200).map { UInt8($0) })
        let server = try LoopbackServer { request in
            let headers = [("etag", "\"1\""), ("ACCEPT-RANGES", "bytes")]
            guard request.headers["range"] == "bytes=100-" else {
                return .init(headers: headers, body: .truncated(body.prefix(100), declaredLength: 200))
            }
            return .init(
                status: 206,
                headers: headers + [("content-range", "bytes 100-199/200")],
                body: .data(body.suffix(100))
            )
        }
        for loader in [DataLoader(), CurlDataLoader()] as [any DataLoading] {
            let pipeline = ImagePipeline(configuration: .init(dataLoader: loader))
            let request = ImageRequest(url: server.url())
            await #expect(throws: ImagePipeline.Error.self) { try await pipeline.data(for: request) }
            #expect(try await pipeline.data(for: request).0 == body)
            let queue = pipeline.configuration.dataLoadingQueue
            // A place is given back just after the end is told.
            try await eventually { queue.operationCount == 0 }
            queue.isSuspended = true
            let waiting = pipeline.dataTask(with: ImageRequest(url: server.url("/b")))
            try await eventually { queue.operationCount == 1 }
            let operation = try #require(queue.operations.first)
            waiting.priority = .high
            try await eventually { operation.queuePriority == .high }
            waiting.cancel()
            try await eventually { operation.isCancelled }
            queue.isSuspended = false
            try await eventually { queue.operationCount == 0 }
        }
    }

    @Test("18.10 A host has six connections at most, and a circle of redirects ends")
    func aHostHasSixConnectionsAndRedirectsEnd() async throws {
        let now = Mutex(0)
        let peak = Mutex(0)
        let gate = Gate()
        let server = try LoopbackServer { request in
            if request.path == "/circle" { return .redirect(to: "/circle") }
            let count = now.withLock { now in
                now += 1
                return now
            }
            peak.withLock { $0 = max($0, count) }
            if count == 6 { gate.open() }
            gate.wait()
            now.withLock { $0 -= 1 }
            return .data(Data([1]))
        }
        let loader = DataLoader()
        await withTaskGroup(of: LoadOutcome.self) { group in
            for number in 0..<20 { group.addTask { await loader.load(server.url("/\(number)")) } }
            for await outcome in group { #expect(outcome.error == nil) }
        }
        #expect(peak.withLock { $0 } == 6)
        for loader in [loader, CurlDataLoader()] as [any DataLoading] {
            let before = server.requests.count
            #expect(await loader.load(server.url("/circle")).error != nil)
            #expect(server.requests.count - before <= 21)
        }
    }
}
