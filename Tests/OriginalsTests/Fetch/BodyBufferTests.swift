import Files
import Foundation
import FoundationNetworking
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import Originals

/// Counts what downloads hold, with a limit on bytes in memory.
final class TestAccounting: DownloadAccounting {
    struct Counts {
        var bytes = 0
        var most = 0
        var complete = 0
    }

    private let limit: Int
    private let state = Mutex(Counts())

    init(limit: Int = .max) {
        self.limit = limit
    }

    var counts: Counts { state.withLock { $0 } }

    func count(bytes: Int) -> Bool {
        state.withLock { counts in
            counts.bytes += bytes
            counts.most = max(counts.most, counts.bytes)
            return counts.bytes <= limit
        }
    }

    func count(complete: Int) {
        state.withLock { $0.complete += complete }
    }
}

@Suite(.timeLimit(.minutes(10))) struct BodyBufferTests {
    private static let large = PartialDownloads.minimumSize

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func storage(_ accounting: TestAccounting? = nil) throws -> BodyStorage {
        BodyStorage(folder: try Folder(path: folder.path), accounting: accounting)
    }

    @Test("a body of 1 MiB goes to a file at its first byte if it is declared, a shorter one stays in memory")
    func declared() throws {
        var buffer = BodyBuffer(try storage())
        try buffer.expect(Self.large - 1, first: 1)
        try buffer.append(Data([1]))
        #expect(buffer.file == nil && buffer.count == 1)
        buffer = BodyBuffer(try storage())
        try buffer.expect(Self.large, first: 1)
        try buffer.append(Data([1]))
        try buffer.append(Data([2]))
        #expect(buffer.file != nil && buffer.count == 2)
        let (data, mapping) = try buffer.contents()
        #expect(data == Data([1, 2]) && mapping != nil)
    }

    @Test("a body without a length goes to a file when it has 1 MiB")
    func growth() throws {
        var buffer = BodyBuffer(try storage())
        try buffer.expect(0, first: 5)
        let chunk = Data(repeating: 7, count: Self.large / 2)
        try buffer.append(chunk)
        #expect(buffer.file == nil)
        try buffer.append(chunk)
        #expect(buffer.file != nil)
        try buffer.append(Data([8]))
        #expect(try buffer.contents().data == chunk + chunk + [8])
    }

    @Test("bodies that exceed the limit together go to files, and give their memory back")
    func limit() throws {
        let accounting = TestAccounting(limit: 250)
        var buffers = [BodyBuffer(try storage(accounting)), BodyBuffer(try storage(accounting))]
        try buffers[0].expect(200, first: 10)
        // The whole counts before it is there.
        #expect(accounting.counts.bytes == 200)
        try buffers[1].expect(0, first: 10)
        try buffers[1].append(Data(count: 50))
        #expect(accounting.counts.bytes == 250 && buffers[1].file == nil)
        try buffers[1].append(Data(count: 1))
        #expect(accounting.counts.bytes == 200 && buffers[1].file != nil && buffers[1].count == 51)
        buffers.removeAll()
        #expect(accounting.counts.bytes == 0)
    }

    @Test("without a folder, a body stays in memory and counts")
    func noFolder() throws {
        let accounting = TestAccounting(limit: 1)
        var buffer: BodyBuffer? = BodyBuffer(BodyStorage(folder: nil, accounting: accounting))
        try buffer?.expect(Self.large, first: 3)
        try buffer?.append(Data([1, 2, 3]))
        #expect(try buffer?.contents().data == Data([1, 2, 3]))
        #expect(buffer?.file == nil && accounting.counts.bytes == Self.large)
        buffer = nil
        #expect(accounting.counts.bytes == 0)
    }

    @Test("a body whose file cannot be made stays in memory, or fails if it is counted")
    func noRoom() throws {
        let full = try Folder(path: "/proc/self")
        var buffer = BodyBuffer(BodyStorage(folder: full, accounting: nil))
        try buffer.expect(Self.large, first: 1)
        try buffer.append(Data([1]))
        #expect(try buffer.file == nil && buffer.contents().data == Data([1]))
        var counted = BodyBuffer(BodyStorage(folder: full, accounting: TestAccounting()))
        #expect(throws: FileError.self) { try counted.expect(Self.large, first: 1) }
    }

    @Test(
        "a large download is mapped, becomes the cache's file as it is, and is counted until it is released"
    )
    func download() async throws {
        let body = LargeBody()
        let server = try LoopbackServer { body.respond(to: $0) }
        let cache = try DataCache(path: URL(fileURLWithPath: folder.path("cache")))
        let accounting = TestAccounting()
        var configuration = OriginalFetcher.Configuration(
            loader: CurlDataLoader(),
            cache: cache,
            slots: OperationQueue()
        )
        configuration.storage = BodyStorage(accounting: accounting)
        let fetcher = OriginalFetcher(configuration)
        let request = FetchRequest(URLRequest(url: server.url()), key: "large")
        var loaded: LoadedData? = try await fetcher.fetch(request)
        #expect(loaded?.data == body.data && loaded?.mapping != nil)
        #expect(accounting.counts.complete == 1 && accounting.counts.most == 0)
        loaded = nil
        try await eventually { accounting.counts.complete == 0 }
        try await cache.waitUntilStored("large")
        #expect(cache.cachedData(for: "large") == body.data)
        let lookup = try await fetcher.find(request)
        #expect(lookup.entry?.isMappable == true && lookup.entry?.metadata.size == LargeBody.size)
        let again = try await fetcher.fetch(request, after: lookup)
        #expect(again.data == body.data && again.mapping != nil && server.requests.count == 1)
    }

    @Test("a download counts as complete before another one has its slot")
    func order() async throws {
        let server = try LoopbackServer { _ in .data(Data([1])) }
        let slots = OperationQueue()
        slots.maxConcurrentOperationCount = 1
        var configuration = OriginalFetcher.Configuration(loader: CurlDataLoader(), cache: nil, slots: slots)
        configuration.storage = BodyStorage(accounting: SuspendingAccounting(slots))
        let fetcher = OriginalFetcher(configuration)
        let tasks = (0..<50).map { number in
            Task {
                let url = server.url("/\(number)")
                return try await fetcher.fetch(FetchRequest(URLRequest(url: url), key: "\(number)"))
            }
        }
        try await eventually { slots.isSuspended }
        // Whatever has begun by then goes on.
        for _ in 0..<20 {
            let probe = FetchRequest(
                URLRequest(url: server.url("/probe")),
                key: "probe",
                caching: .renewByCaller
            )
            let other = OriginalFetcher.Configuration(
                loader: CurlDataLoader(),
                cache: nil,
                slots: OperationQueue()
            )
            _ = try await OriginalFetcher(other).fetch(probe)
        }
        #expect(server.requests.count { $0.path != "/probe" } == 1)
        for task in tasks { task.cancel() }
    }
}

/// Suspends a queue at the first complete download.
private final class SuspendingAccounting: DownloadAccounting {
    private let queue: OperationQueue

    init(_ queue: OperationQueue) {
        self.queue = queue
    }

    func count(bytes: Int) -> Bool { true }

    func count(complete: Int) {
        queue.isSuspended = true
    }
}
