import Foundation
import LoopbackServer
import Synchronization
import TestSupport
import Testing

@testable import Nuke

/// Requests that join a download with keys of their own while it is being stored.
@Suite(.timeLimit(.minutes(10))) struct LateKeyTests {
    /// Counts the stores of each key, and stops at each until its gate is open.
    private final class SlowCache: DataCaching {
        let gate = Gate()
        let stores = Log()

        func cachedData(for key: String) -> Data? { nil }
        func containsData(for key: String) -> Bool { false }
        func storeData(_ data: Data, for key: String) {
            stores.add(key)
            gate.wait()
        }
        func removeData(for key: String) {}
        func removeAll() {}
    }

    private func request(_ id: String) -> ImageRequest {
        var request: ImageRequest = "http://example.com/a.jpg"
        request.imageID = id
        return request
    }

    /// Waits until these requests share the download.
    @ImagePipelineActor
    private func joined(_ ids: [String], in pipeline: ImagePipeline) async {
        while pipeline.taskPool.originalData.values.first?.requests.map(\.imageID) != ids {
            await Task.yield()
        }
    }

    @Test("the key of one that comes as another leaves is stored, too")
    func replacement() async throws {
        let (cache, loader) = (SlowCache(), ManualLoader())
        let pipeline = ImagePipeline.testing(loader) { $0.dataCache = cache }
        let first = pipeline.dataTask(with: request("first"))
        await joined(["first"], in: pipeline)
        let second = pipeline.dataTask(with: request("second"))
        await joined(["first", "second"], in: pipeline)
        await loader.load(0).answer(Data("x".utf8))
        try await eventually { cache.stores.all == ["first"] }
        second.cancel()
        await joined(["first"], in: pipeline)
        let third = pipeline.dataTask(with: request("third"))
        await joined(["first", "third"], in: pipeline)
        cache.gate.open()
        _ = try await (first.value, third.value)
        #expect(cache.stores.all == ["first", "second", "third"] && loader.count == 1)
    }

    @Test("no key is stored twice")
    func stores() async throws {
        let (cache, loader) = (SlowCache(), ManualLoader())
        let pipeline = ImagePipeline.testing(loader) { $0.dataCache = cache }
        let first = Task { try await pipeline.data(for: request("first")) }
        await loader.load(0).answer(Data("x".utf8))
        try await eventually { cache.stores.all == ["first"] }
        let second = Task { try await pipeline.data(for: request("second")) }
        await joined(["first", "second"], in: pipeline)
        cache.gate.open()
        _ = try await (first.value, second.value)
        #expect(cache.stores.all == ["first", "second"] && loader.count == 1)
    }
}
