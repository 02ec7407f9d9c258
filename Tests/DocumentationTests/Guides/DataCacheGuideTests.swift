import Nuke
import TestSupport
import Testing

/// The disk cache used without a pipeline.
@Suite("Guide: DataCache by itself", .timeLimit(.minutes(10)))
struct DataCacheGuideTests {
    private let folder: TemporaryFolder
    private let cache: DataCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try DataCache(path: URL(fileURLWithPath: folder.path("cache")))
    }

    @Test func keepsDataByKeys() throws {
        let data = Data("data".utf8)
        cache["http://example.com/a.jpg"] = data
        #expect(cache["http://example.com/a.jpg"] == data)
        #expect(cache.containsData(for: "http://example.com/a.jpg"))
        cache.storeData(Data(), for: "empty")
        #expect(cache.cachedData(for: "empty") == Data())
        cache["http://example.com/a.jpg"] = nil
        #expect(cache.cachedData(for: "http://example.com/a.jpg") == nil)
        cache.removeAll()
        #expect(cache["empty"] == nil)
    }

    @Test func writesBehindAndOnDemand() throws {
        cache.queue.suspend()
        cache.storeData(Data(count: 1_000), for: "a")
        #expect(cache["a"]?.count == 1_000)
        #expect(cache.totalCount == 0)
        cache.queue.resume()
        cache.flush()
        #expect(cache.totalCount == 1)
        #expect(cache.totalSize == 1_000)
        #expect(cache.totalAllocatedSize >= 1_000)
        let url = try #require(cache.url(for: "a"))
        #expect(try Data(contentsOf: url).count == 1_000)
        cache.removeData(for: "a")
        cache.flush(for: "a")
        #expect(cache.totalCount == 0)
    }

    @Test func namesFilesAsItIsTold() throws {
        #expect(DataCache.filename(for: "http://test.com") == "50334ee0b51600df6397ce93ceed4728c37fee4e")
        #expect(cache.filename(for: "") == nil)
        let named = try DataCache(path: URL(fileURLWithPath: folder.path("named"))) { key in
            key.hasPrefix("http") ? "file-\(key.count)" : nil
        }
        #expect(named.filename(for: "http://a") == "file-8")
        #expect(named.url(for: "ftp://a") == nil)
        named.storeData(Data([1]), for: "http://a")
        named.flush()
        #expect(named.url(for: "http://a")?.lastPathComponent == "file-8")
        #expect(named["http://a"] == Data([1]))
    }

    @Test func staysWithinItsLimit() {
        cache.sizeLimit = 10_000
        for number in 0..<30 {
            cache["\(number)"] = Data(count: 1_000)
            cache.flush()
        }
        cache.sweep()
        #expect(cache.totalSize <= 10_000)
        #expect(cache["29"] != nil)
        #expect(cache["0"] == nil)
    }

    @Test func survivesTheProcess() throws {
        cache["a"] = Data([1, 2, 3])
        cache.flush()
        cache.close()
        let again = try DataCache(path: cache.path)
        #expect(again["a"] == Data([1, 2, 3]))
        #expect(again.isSweepEnabled)
        #expect(again.sizeLimit == 150 * 1024 * 1024)
    }
}
