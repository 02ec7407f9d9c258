import Files
import Foundation
import FoundationNetworking
import Nuke
import TestSupport
import Testing

/// The values that accompany original data: its digest, its cache entry, and whether another request downloaded it.
@Suite("LoadedData", .timeLimit(.minutes(10)))
struct LoadedDataTests {
    private let loader = ManualLoader()
    private let bytes = Data((0..<10).map { UInt8($0) })
    private var digest: Data { Data(Digest.sha256.bytes(of: bytes)) }

    private func request(
        _ priority: ImageRequest.Priority = .normal,
        options: ImageRequest.Options = []
    ) -> ImageRequest {
        ImageRequest(url: URL(string: "http://example.com/a.jpg"), priority: priority, options: options)
    }

    private func pipeline(_ cache: DataCache? = nil) -> ImagePipeline {
        ImagePipeline.testing(loader) {
            $0.imageCache = nil
            $0.dataCache = cache
            $0.isDigestComputed = cache == nil
        }
    }

    /// Two loads of one download, which has not begun.
    private func held(
        _ pipeline: ImagePipeline
    ) async throws -> (first: Task<LoadedData, any Error>, second: Task<LoadedData, any Error>) {
        let queue = pipeline.configuration.dataLoadingQueue
        pipeline.configuration.dataLoadingQueue.isSuspended = true
        let first: Task<LoadedData, any Error> = Task { try await pipeline.loadedData(for: request(.low)) }
        try await eventually { queue.operationCount == 1 }
        let second: Task<LoadedData, any Error> = Task { try await pipeline.loadedData(for: request(.high)) }
        try await eventually { queue.operations.contains { $0.queuePriority == .high } }
        return (first, second)
    }

    @Test func aDownloadCountsForTheFirstOfThoseWhoShareIt() async throws {
        let pipeline = pipeline()
        let (first, second) = try await held(pipeline)
        pipeline.configuration.dataLoadingQueue.isSuspended = false
        await loader.load(0).answer(bytes)
        let (one, other) = (try await first.value, try await second.value)
        #expect(!one.isShared && other.isShared)
        #expect(one.data == bytes && one.sha256 == digest && other.sha256 == digest)
        #expect(loader.count == 1)
    }

    @Test func aDownloadWhoseFirstIsGoneCountsForTheNext() async throws {
        let pipeline = pipeline()
        let (first, second) = try await held(pipeline)
        first.cancel()
        _ = await first.result
        let queue = pipeline.configuration.dataLoadingQueue
        // The books of the pipeline are kept in order: a request that is answered comes after the cancellation.
        _ = try? await pipeline.loadedData(for: request(options: .returnCacheDataDontLoad))
        #expect(queue.operationCount == 1)
        pipeline.configuration.dataLoadingQueue.isSuspended = false
        await loader.load(0).answer(bytes)
        #expect(try await !second.value.isShared)
    }

    @Test func aDigestIsThatOfTheWholeWhereADownloadWasResumed() async throws {
        let pipeline = pipeline()
        let headers = ["Accept-Ranges": "bytes", "ETag": "\"a\""]
        let broken = Task { try await pipeline.loadedData(for: request()) }
        let beginning = await loader.load(0)
        beginning.send(Data(bytes.prefix(4)), of: 10, headers: headers)
        beginning.end(URLError(.networkConnectionLost))
        _ = await broken.result
        let whole = Task { try await pipeline.loadedData(for: request()) }
        let rest = await loader.load(1)
        #expect(rest.request.value(forHTTPHeaderField: "Range") == "bytes=4-")
        let range = ["Content-Range": "bytes 4-9/10"]
        rest.send(Data(bytes.dropFirst(4)), of: 6, status: 206, headers: headers.merging(range) { $1 })
        rest.end()
        let loaded = try await whole.value
        #expect(loaded.data == bytes && loaded.sha256 == digest)
    }

    @Test func aDigestThatTheServerDeclaresIsComparedWithTheOneThatWasComputed() async throws {
        let pipeline = pipeline()
        for (number, declared) in [digest, Data(count: 32)].enumerated() {
            let task = Task { try await pipeline.loadedData(for: request()) }
            let load = await loader.load(number)
            let headers = ["Repr-Digest": "sha-256=:\(declared.base64EncodedString()):"]
            load.send(bytes, of: 10, headers: headers)
            load.end()
            let result = await task.result
            #expect((try? result.get())?.data == (declared == digest ? bytes : nil))
        }
    }

    @Test func aLookupFindsTheDigestAndIsNotRepeated() async throws {
        let folder = try TemporaryFolder()
        let cache = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
        let pipeline = pipeline(cache)
        let loading = Task { try await pipeline.loadedData(for: request()) }
        await loader.load(0).answer(bytes)
        let loaded = try await loading.value
        #expect(loaded.sha256 == digest && loaded.metadata == nil)
        let key = pipeline.cache.makeDataCacheKey(for: request())
        try await cache.waitUntilStored(key)
        #expect(cache.metadata(for: key)?.sha256 == digest)
        let lookup = try await pipeline.cacheLookup(for: request())
        #expect(lookup.metadata == cache.metadata(for: key))
        let cached = try await pipeline.loadedData(for: request(), after: lookup)
        #expect(cached.data == bytes && cached.sha256 == digest && cached.received == nil && !cached.isShared)
        cache.removeData(for: key)
        await #expect(throws: DataCacheError.self) { try await cache.waitUntilStored(key) }
        let error = await pipelineError {
            _ = try await pipeline.loadedData(for: request(options: .returnCacheDataDontLoad), after: lookup)
        }
        guard case .dataMissingInCache = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
