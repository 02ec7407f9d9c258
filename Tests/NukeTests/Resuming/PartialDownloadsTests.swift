import Files
import Foundation
import FoundationNetworking
import LoopbackServer
import Nuke
import SQLite
import OriginalsFixtures
import TestSupport
import Testing

/// Downloads that broke off, in the folder of a cache.
///
/// One after the other, since each waits for the disk.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct PartialDownloadsTests {
    private let folder: CacheFolder

    init() throws {
        folder = try CacheFolder()
    }

    private func server(_ body: LargeBody) throws -> LoopbackServer {
        try LoopbackServer { body.respond(to: $0) }
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(
            atPath: folder.path.appendingPathComponent("partial").path
        )) ?? []
    }

    private func file() throws -> URL {
        folder.path.appendingPathComponent("partial").appendingPathComponent(try #require(files.first))
    }

    @Test func goOnInAnotherProcessAndInAThird() async throws {
        let body = LargeBody(cuts: [1_500_000, 2_700_000, 4_400_000])
        let server = try server(body)
        for cut in [1_500_000, 2_700_000, 4_400_000] {
            await folder.breakOff(server.url())
            #expect(try folder.partial() == [1, cut])
            #expect(files.count == 1)
        }
        #expect(try await folder.load(server.url()) == body.data)
        #expect(try folder.partial() == [0, 0])
        #expect(files == [])
        let starts = server.requests.map(LargeBody.first)
        #expect(starts == [0] + [1_500_000, 2_700_000, 4_400_000].map { $0 - 16_384 })
        // It is the cache's from now on.
        #expect(try await folder.load(server.url()) == body.data)
        #expect(server.requests.count == 4)
    }

    @Test func progressCountsTheBeginning() async throws {
        let body = LargeBody(cuts: [4_000_000])
        let server = try server(body)
        await folder.breakOff(server.url())
        let cache = try DataCache(unsweptAt: folder.path)
        let pipeline = ImagePipeline.testing(CurlDataLoader()) { $0.dataCache = cache }
        let task = pipeline.imageTask(with: server.url())
        var all: [ImageTask.Progress] = []
        for await progress in task.progress { all.append(progress) }
        _ = try await task.response
        let total = Int64(LargeBody.size)
        #expect(all.allSatisfy { $0.total == total && $0.completed > 4_000_000 - 16_384 })
        #expect(all.last?.completed == total)
    }

    @Test func shortBodiesNeverTouchTheDisk() async throws {
        let body = LargeBody(cuts: [PartialDownloads.minimumSize - 1])
        let server = try server(body)
        await folder.breakOff(server.url())
        #expect(!FileManager.default.fileExists(atPath: folder.path.appendingPathComponent("partial").path))
        #expect(try await folder.load(server.url()) == body.data)
        #expect(LargeBody.first(of: server.requests[1]) == 0)
    }

    @Test func aLoadWithoutAnAnswerLeavesWhatWasThere() async throws {
        let body = LargeBody(cuts: [2_000_000])
        let counter = Counter()
        let server = try LoopbackServer { request in
            counter.add("request")
            switch counter["request"] {
            case 2: return .init(body: .reset)
            case 3: return .status(503)
            default: return body.respond(to: request)
            }
        }
        for _ in 0..<3 {
            await folder.breakOff(server.url())
            #expect(try folder.partial() == [1, 2_000_000])
        }
        #expect(try await folder.load(server.url()) == body.data)
        #expect(server.requests.map(LargeBody.first) == [0] + Array(repeating: 2_000_000 - 16_384, count: 3))
    }

    @Test func aLoadThatIsGivenUpInItsDelegateLeavesWhatWasThere() async throws {
        final class Refusing: ImagePipeline.Delegate {
            func willLoadData(for request: ImageRequest, urlRequest: URLRequest, pipeline: ImagePipeline)
                async throws -> URLRequest
            {
                throw CancellationError()
            }
        }
        let body = LargeBody(cuts: [2_000_000])
        let server = try server(body)
        await folder.breakOff(server.url())
        for loader in [CurlDataLoader(), DataLoader()] as [any DataLoading] {
            let cache = try DataCache(unsweptAt: folder.path)
            let pipeline = ImagePipeline.testing(loader, delegate: Refusing()) { $0.dataCache = cache }
            _ = try? await pipeline.data(for: ImageRequest(url: server.url()))
            cache.close()
            #expect(try folder.partial() == [1, 2_000_000])
        }
        #expect(server.requests.count == 1)
    }

    @Test func anotherTryInTheSameProcessGoesOnAtOnce() async throws {
        let cuts = stride(from: 1_200_000, to: 5_000_000, by: 300_000).map { $0 }
        let body = LargeBody(cuts: cuts)
        let server = try server(body)
        let cache = try DataCache(unsweptAt: folder.path)
        let pipeline = ImagePipeline.testing(CurlDataLoader()) { $0.dataCache = cache }
        let request = ImageRequest(url: server.url())
        for _ in cuts { _ = try? await pipeline.data(for: request) }
        #expect(try await pipeline.data(for: request).0 == body.data)
        #expect(server.requests.map(LargeBody.first) == [0] + cuts.map { $0 - 16_384 })
    }

    @Test func aCancelledLoadIsKept() async throws {
        let body = LargeBody()
        let held = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { request in
            var response = body.respond(to: request)
            guard request.headers["range"] == nil else { return response }
            response.body = .pieces([Data(body.data.prefix(2_000_000)), Data(body.data.dropFirst(2_000_000))])
            response.hold = { if $0 == .beforePiece(1) { held.wait() } }
            return response
        }
        let cache = try DataCache(unsweptAt: folder.path)
        let pipeline = ImagePipeline.testing(CurlDataLoader()) { $0.dataCache = cache }
        let task = pipeline.imageTask(with: server.url())
        for await progress in task.progress where progress.completed == 2_000_000 { break }
        task.cancel()
        let parts = folder.path.appendingPathComponent("partial").path
        let name = Digest.sha1.hex(of: server.url().absoluteString)
        try await eventually {
            // The folder is made with its first file, which may be later than the progress.
            try folder.partial() == [1, 2_000_000] && HeldFile(name, in: Folder(path: parts)) != nil
        }
        held.signal()
        let data = try await pipeline.data(for: ImageRequest(url: server.url())).0
        #expect(data == body.data)
        #expect(LargeBody.first(of: server.requests[1]) == 2_000_000 - 16_384)
    }

    /// A body over the limit would be over it again.
    @Test func whatIsTooLargeIsNotKept() async throws {
        let body = LargeBody(cuts: [2_000_000])
        let server = try server(body)
        await folder.breakOff(server.url())
        _ = try? await folder.load(server.url()) { configuration, _ in
            configuration.maximumResponseDataSize = 3_000_000
        }
        #expect(LargeBody.first(of: server.requests[1]) == 2_000_000 - 16_384)
        #expect(try folder.partial() == [0, 0])
    }

    @Test(arguments: ["torn", "longer", "changed", "empty", "missing", "another's", "without a row"])
    func damageIsFoundAndTheLoadBeginsAnew(damage: String) async throws {
        let body = LargeBody(cuts: [3_000_000])
        let server = try server(body)
        await folder.breakOff(server.url())
        let file = try file()
        var bytes = try Data(contentsOf: file)
        #expect(bytes.count == 3_000_000)
        switch damage {
        case "torn": try bytes.prefix(2_999_999).write(to: file)
        // Written, but never recorded: what is recorded still holds.
        case "longer": try (bytes + Data(count: 1000)).write(to: file)
        case "changed":
            bytes[1_234_567] ^= 1
            try bytes.write(to: file)
        case "empty": try Data().write(to: file)
        case "missing": try FileManager.default.removeItem(at: file)
        case "another's": try LargeBody(seed: 9).data.prefix(3_000_000).write(to: file)
        default:
            let index = try Connection(path: folder.path.appendingPathComponent("index.sqlite").path)
            try index.execute("DELETE FROM partial")
        }
        #expect(try await folder.load(server.url()) == body.data)
        let start = LargeBody.first(of: server.requests[1])
        #expect(start == (damage == "longer" ? 3_000_000 - 16_384 : 0))
        #expect(try folder.partial() == [0, 0])
        #expect(files == [])
    }

    @Test func theOldestGoSoThatTheLimitHolds() async throws {
        let cuts = Array(repeating: 2_000_000, count: 4) + [LargeBody.size, LargeBody.size, 2_000_000]
        let server = try server(LargeBody(cuts: cuts))
        let cache = try DataCache(unsweptAt: folder.path)
        cache.partialDownloads.sizeLimit = 5_000_000
        let pipeline = ImagePipeline.testing(CurlDataLoader()) { $0.dataCache = cache }
        for number in 0..<4 {
            _ = try? await pipeline.data(for: ImageRequest(url: server.url("/\(number)")))
            cache.partialDownloads.waitUntilWritten()
            #expect(cache.partialDownloads.totalSize <= 5_000_000)
        }
        #expect(cache.partialDownloads.totalCount == 2)
        for number in [3, 0] { _ = try await pipeline.data(for: ImageRequest(url: server.url("/\(number)"))) }
        #expect(server.requests.suffix(2).map(LargeBody.first) == [2_000_000 - 16_384, 0])
        cache.flush()
        // One that is larger than all together may be is not begun.
        cache.partialDownloads.removeAll()
        cache.partialDownloads.sizeLimit = LargeBody.size - 1
        _ = try? await pipeline.data(for: ImageRequest(url: server.url("/5")))
        cache.partialDownloads.waitUntilWritten()
        #expect(server.requests.count == 7 && cache.partialDownloads.totalCount == 0)
    }

    @Test func theOldAndTheLeftoverAreSweptAway() async throws {
        let body = LargeBody(cuts: [2_000_000])
        let server = try server(body)
        await folder.breakOff(server.url())
        let leftover = folder.path.appendingPathComponent("partial/leftover")
        try Data(count: 10).write(to: leftover)
        let cache = try DataCache(unsweptAt: folder.path)
        cache.sweep()
        cache.partialDownloads.waitUntilWritten()
        #expect(files.count == 1 && cache.partialDownloads.totalCount == 1)
        cache.partialDownloads.ageLimit = 0
        cache.sweep()
        cache.partialDownloads.waitUntilWritten()
        #expect(files == [] && cache.partialDownloads.totalCount == 0)
    }

    @Test func canBeRemoved() async throws {
        let body = LargeBody(cuts: [2_000_000, 2_000_000, 2_000_000])
        let server = try server(body)
        let cache = try DataCache(unsweptAt: folder.path)
        let pipeline = ImagePipeline.testing(CurlDataLoader()) { $0.dataCache = cache }
        let urls = (0..<3).map { server.url("/\($0)") }
        for url in urls { _ = try? await pipeline.data(for: ImageRequest(url: url)) }
        cache.partialDownloads.removeData(for: urls[0].absoluteString)
        cache.partialDownloads.waitUntilWritten()
        #expect(cache.partialDownloads.totalCount == 2)
        cache.removeAll()
        cache.partialDownloads.waitUntilWritten()
        #expect(cache.partialDownloads.totalCount == 0 && files == [])
    }

    /// As two processes would be: each has locks of its own.
    @Test func twoAtOnceDoNotMix() async throws {
        let body = LargeBody(cuts: [2_000_000])
        let held = DispatchSemaphore(value: 0)
        let server = try LoopbackServer { request in
            var response = body.respond(to: request)
            guard request.headers["range"] != nil else { return response }
            let rest = body.data[LargeBody.first(of: request)...]
            response.body = .pieces([Data(rest.prefix(100_000)), Data(rest.dropFirst(100_000))])
            response.hold = { if $0 == .beforePiece(1) { held.wait() } }
            return response
        }
        await folder.breakOff(server.url())
        let (path, url) = (folder.path, server.url())
        let first = Task { try await CacheFolder.load(url, in: path) }
        _ = await server.requests(atLeast: 2)
        // The other one has no beginning, and leaves that of the first alone.
        #expect(try await folder.load(url) == body.data)
        #expect(LargeBody.first(of: server.requests[2]) == 0)
        held.signal()
        #expect(try await first.value == body.data)
        #expect(try folder.partial() == [0, 0])
    }
}
