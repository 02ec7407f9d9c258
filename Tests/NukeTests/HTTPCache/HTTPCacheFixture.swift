import Foundation
import LoopbackServer
import Nuke
import Synchronization

/// The time of the day, as a test moves it: at first the beginning of 2026.
final class TestTime: Sendable {
    static let start = Date(timeIntervalSince1970: 1_767_225_600)

    private let passed = Mutex(0.0)

    var now: Date { Self.start + passed.withLock { $0 } }

    func pass(_ seconds: Double) {
        passed.withLock { $0 += seconds }
    }
}

/// A third party's cache of bytes, in memory.
final class MemoryStorage: DataCaching {
    private let entries = Mutex<[String: Data]>([:])

    var keys: [String] { entries.withLock { $0.keys.sorted() } }

    func cachedData(for key: String) -> Data? { entries.withLock { $0[key] } }
    func containsData(for key: String) -> Bool { cachedData(for: key) != nil }
    func storeData(_ data: Data, for key: String) { entries.withLock { $0[key] = data } }
    func removeData(for key: String) { entries.withLock { $0[key] = nil } }
    func removeAll() { entries.withLock { $0 = [:] } }
}

/// A cache before a loader, with a time that passes as the test says.
struct HTTPCacheFixture: Sendable {
    let time = TestTime()
    let storage = MemoryStorage()
    let cache: HTTPCache
    let loader: HTTPCachingDataLoader

    init(
        _ loader: any DataLoading = CurlDataLoader(),
        change: (inout HTTPCache.Configuration) -> Void = { _ in }
    ) {
        var configuration = HTTPCache.Configuration()
        change(&configuration)
        cache = HTTPCache(storage: storage, configuration: configuration, now: { [time] in time.now })
        self.loader = HTTPCachingDataLoader(loader, cache: cache)
    }

    /// Loads `url` with these fields.
    func load(_ url: URL, _ fields: [(name: String, value: String)] = []) async -> LoadOutcome {
        var request = URLRequest(url: url)
        for field in fields { request.setValue(field.value, forHTTPHeaderField: field.name) }
        return await loader.load(request)
    }
}

extension LoopbackServer.Request {
    var isConditional: Bool { headers["if-none-match"] != nil || headers["if-modified-since"] != nil }
}
