import Files
import Foundation
import FoundationNetworking
import Originals
import OriginalsFixtures
import TestSupport
import Testing

/// One download for all who ask, with its digest, its entry in the cache, and whom it counts for.
@Suite(.timeLimit(.minutes(10))) struct OriginalFetcherTests {
    private let loader = HeldLoader()
    private let slots = OperationQueue()
    private let bytes = Data((0..<10).map { UInt8($0) })
    private var digest: Data { Data(Digest.sha256.bytes(of: bytes)) }

    private func request(
        _ priority: Operation.QueuePriority = .normal,
        key: String = "a",
        caching: FetchRequest.Caching = .use,
        url: String = "http://example.com/a.jpg"
    ) throws -> FetchRequest {
        let url = try #require(URL(string: url))
        return FetchRequest(URLRequest(url: url), key: key, priority: priority, caching: caching)
    }

    private func fetcher(_ cache: DataCache? = nil) -> OriginalFetcher {
        OriginalFetcher(OriginalFetcher.Configuration(loader: loader, cache: cache, slots: slots))
    }

    private func cache(in folder: TemporaryFolder) throws -> DataCache {
        try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
    }

    private func fetch(_ fetcher: OriginalFetcher, _ request: FetchRequest) -> Task<LoadedData, any Error> {
        Task { try await fetcher.fetch(request) }
    }

    /// Two fetches of one download, which has no slot yet.
    private func held(
        _ fetcher: OriginalFetcher,
        _ second: FetchRequest? = nil
    ) async throws -> (first: Task<LoadedData, any Error>, second: Task<LoadedData, any Error>) {
        slots.isSuspended = true
        let first = fetch(fetcher, try request(.low))
        try await eventually { slots.operationCount == 1 }
        let other = fetch(fetcher, try second ?? request(.high))
        try await eventually { slots.operations.contains { $0.queuePriority == .high } }
        return (first, other)
    }

    @Test func aDownloadCountsForTheFirstOfThoseWhoShareIt() async throws {
        let (first, second) = try await held(fetcher())
        slots.isSuspended = false
        try await loader.load(0).answer(bytes)
        let (one, other) = (try await first.value, try await second.value)
        #expect(!one.isShared && other.isShared)
        #expect(one.data == bytes && one.sha256 == digest && other.sha256 == digest)
        #expect(loader.count == 1)
    }

    @Test func aDownloadWhoseFirstIsGoneCountsForTheNext() async throws {
        let (first, second) = try await held(fetcher())
        first.cancel()
        await #expect(throws: FetchError.cancelled) { try await first.value }
        #expect(slots.operationCount == 1)
        slots.isSuspended = false
        try await loader.load(0).answer(bytes)
        #expect(try await !second.value.isShared)
    }

    @Test func aDownloadThatNobodyWantsEnds() async throws {
        let fetcher = fetcher()
        let (first, second) = try await held(fetcher)
        first.cancel()
        second.cancel()
        await fetcher.settle()
        let areCancelled = slots.operations.allSatisfy { $0.isCancelled }
        #expect(areCancelled)
        slots.isSuspended = false
        // The next one is a download of its own.
        let third = fetch(fetcher, try request())
        try await loader.load(0).answer(bytes)
        let loaded = try await third.value
        #expect(!loaded.isShared && loaded.data == bytes)
    }

    @Test func aFetcherThatWasStoppedEndsEverything() async throws {
        let fetcher = fetcher()
        let (first, second) = try await held(fetcher)
        fetcher.stop()
        for task in [first, second] {
            await #expect(throws: FetchError.cancelled) { try await task.value }
        }
        await fetcher.settle()
        let late = fetch(fetcher, try request())
        await #expect(throws: FetchError.cancelled) { try await late.value }
        #expect(loader.count == 0)
    }

    @Test func aFailureIsThatOfAllWhoShareIt() async throws {
        let fetcher = fetcher()
        let (first, second) = try await held(fetcher)
        slots.isSuspended = false
        try await loader.load(0).end(URLError(.badServerResponse))
        for task in [first, second] { await #expect(throws: URLError.self) { try await task.value } }
        let empty = fetch(fetcher, try request())
        try await loader.load(1).end()
        await #expect(throws: FetchError.empty) { try await empty.value }
    }

    @Test func aDigestIsThatOfTheWholeWhereADownloadWasResumed() async throws {
        let fetcher = fetcher()
        let headers = ["Accept-Ranges": "bytes", "ETag": "\"a\""]
        let broken = fetch(fetcher, try request())
        let beginning = try await loader.load(0)
        beginning.send(Data(bytes.prefix(4)), of: 10, headers: headers)
        beginning.end(URLError(.networkConnectionLost))
        _ = await broken.result
        let whole = fetch(fetcher, try request())
        let rest = try await loader.load(1)
        #expect(rest.request.value(forHTTPHeaderField: "Range") == "bytes=4-")
        let range = ["Content-Range": "bytes 4-9/10"]
        rest.send(Data(bytes.dropFirst(4)), of: 6, status: 206, headers: headers.merging(range) { $1 })
        rest.end()
        let loaded = try await whole.value
        #expect(loaded.data == bytes && loaded.sha256 == digest)
    }

    @Test(
        "a part that nobody asked for is no whole",
        arguments: [
            ("bytes 0-9/10", 10, true), ("bytes 0-3/10", 4, false), ("bytes 6-9/10", 4, false),
            ("bytes 0-9/*", 10, false), ("", 10, false),
        ] as [(String, Int, Bool)]
    )
    func parts(range: String, count: Int, isWhole: Bool) async throws {
        let fetcher = fetcher()
        let task = fetch(fetcher, try request())
        let load = try await loader.load(0)
        let headers = range.isEmpty ? [:] : ["Content-Range": range]
        load.send(bytes.suffix(count), of: count, status: 206, headers: headers)
        load.end()
        switch await task.result {
        case .success(let loaded): #expect(isWhole && loaded.data == bytes)
        case .failure(let error):
            let error = try #require(error as? DataLoadingError)
            #expect(!isWhole && error.reason == .integrity && error.isTransient)
        }
        // Who asks for a range gets it.
        var ranged = URLRequest(url: try #require(URL(string: "http://example.com/b.jpg")))
        ranged.setValue("bytes=6-9", forHTTPHeaderField: "Range")
        let part = fetch(fetcher, FetchRequest(ranged, key: "b"))
        let rest = try await loader.load(1)
        rest.send(bytes.suffix(4), of: 4, status: 206, headers: ["Content-Range": "bytes 6-9/10"])
        rest.end()
        #expect(try await part.value.data == bytes.suffix(4))
    }

    @Test func aDigestThatTheServerDeclaresIsComparedWithTheOneThatWasComputed() async throws {
        let fetcher = fetcher()
        for (number, declared) in [digest, Data(count: 32)].enumerated() {
            let task = fetch(fetcher, try request())
            let load = try await loader.load(number)
            let headers = ["Repr-Digest": "sha-256=:\(declared.base64EncodedString()):"]
            load.send(bytes, of: 10, headers: headers)
            load.end()
            let result = await task.result
            #expect((try? result.get())?.data == (declared == digest ? bytes : nil))
        }
    }

    @Test func aLookupFindsTheDigestAndIsNotRepeated() async throws {
        let folder = try TemporaryFolder()
        let cache = try cache(in: folder)
        let fetcher = fetcher(cache)
        let loading = fetch(fetcher, try request())
        try await loader.load(0).answer(bytes)
        let loaded = try await loading.value
        #expect(loaded.sha256 == digest && loaded.received != nil && loaded.metadata != nil)
        try await cache.waitUntilStored("a")
        #expect(cache.metadata(for: "a")?.sha256 == digest)
        let lookup = try await fetcher.find(try request())
        #expect(lookup.metadata == cache.metadata(for: "a"))
        let cached = try await fetcher.fetch(try request(), after: lookup)
        #expect(cached.data == bytes && cached.sha256 == digest && cached.received == nil && !cached.isShared)
        cache.removeData(for: "a")
        await #expect(throws: DataCacheError.self) { try await cache.waitUntilStored("a") }
        let only = try request(caching: .only)
        await #expect(throws: FetchError.notCached) { try await fetcher.fetch(only, after: lookup) }
    }

    @Test func aDownloadIsStoredUnderTheKeyOfEachWhoSharesIt() async throws {
        let folder = try TemporaryFolder()
        let cache = try cache(in: folder)
        let fetcher = fetcher(cache)
        let (first, second) = try await held(fetcher, try request(.high, key: "b"))
        slots.isSuspended = false
        try await loader.load(0).answer(bytes)
        _ = (try await first.value, try await second.value)
        #expect(cache.cachedData(for: "a") == bytes && cache.cachedData(for: "b") == bytes)
    }

    @Test func aSuccessorIsStoredByItsCallerAlone() async throws {
        let folder = try TemporaryFolder()
        let cache = try cache(in: folder)
        let fetcher = fetcher(cache)
        cache.storeData(Data([9]), for: "a")
        let successor = try request(caching: .renewByCaller)
        let loading = fetch(fetcher, successor)
        try await loader.load(0).answer(bytes)
        let loaded = try await loading.value
        #expect(loaded.data == bytes && cache.cachedData(for: "a") == Data([9]))
        await fetcher.store(loaded, for: successor)
        #expect(cache.cachedData(for: "a") == bytes)
    }

    @Test func whatTheURLItselfHoldsIsNeitherLoadedNorStored() async throws {
        let folder = try TemporaryFolder()
        let cache = try cache(in: folder)
        let fetcher = fetcher(cache)
        let loaded = try await fetcher.fetch(try request(url: "data:;base64,AAEC"))
        #expect(loaded.data == Data([0, 1, 2]) && loader.count == 0 && !cache.containsData(for: "a"))
        let damaged = fetch(fetcher, try request(url: "data:;base64,%"))
        await #expect(throws: DataLoadingError.self) { try await damaged.value }
    }
}
