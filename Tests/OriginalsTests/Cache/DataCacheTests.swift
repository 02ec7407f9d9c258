import Files
import Foundation
import Originals
import Synchronization
import OriginalsFixtures
import TestSupport
import Testing

@Suite("DataCache", .timeLimit(.minutes(10)))
struct DataCacheTests {
    private let folder: TemporaryFolder
    private let cache: DataCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
    }

    @Test func namesAreTheSHA1OfTheKey() {
        #expect(DataCache.filename(for: "http://test.com") == "50334ee0b51600df6397ce93ceed4728c37fee4e")
        #expect(DataCache.filename(for: "") == nil)
        #expect(cache.url(for: "") == nil)
        #expect(cache.filename(for: "http://test.com") == "50334ee0b51600df6397ce93ceed4728c37fee4e")
    }

    @Test func theFileIsWhereTheURLSays() throws {
        cache["http://test.com"] = Data("bytes".utf8)
        cache.flush()
        let url = try #require(cache.url(for: "http://test.com"))
        #expect(url.path.hasSuffix("/cache/50/50334ee0b51600df6397ce93ceed4728c37fee4e"))
        #expect(try Data(contentsOf: url) == Data("bytes".utf8))
    }

    @Test func aNameIsAFolderInTheUsersCaches() throws {
        let name = "nuke-batch-test-\(UUID().uuidString)"
        let named = try DataCache(name: name)
        defer { try? FileManager.default.removeItem(at: named.path) }
        let caches =
            ProcessInfo.processInfo.environment["XDG_CACHE_HOME"] ?? NSHomeDirectory() + "/.cache"
        #expect(named.path.path == caches + "/" + name)
        #expect(FileManager.default.fileExists(atPath: named.path.path))
        named.close()
    }

    @Test func defaultsAreNukes() throws {
        let cache = try DataCache(path: URL(fileURLWithPath: folder.path("own")))
        #expect(cache.sizeLimit == 157_286_400)
        #expect(cache.sweepInterval == 1800)
        #expect(cache.isSweepEnabled)
        #expect(cache.queue.label == "com.github.kean.Nuke.DataCache.WriteQueue")
    }

    @Test func readsItsWritesBeforeAndAfterTheyAreWritten() {
        cache.queue.suspend()
        cache["a"] = Data([1])
        #expect(cache["a"] == Data([1]))
        #expect(cache.containsData(for: "a"))
        #expect(cache.totalCount == 0)
        cache.queue.resume()
        cache.flush()
        #expect(cache["a"] == Data([1]))
        #expect(cache.containsData(for: "a"))
        #expect(cache.totalCount == 1)
        #expect(cache.totalSize == 1)
        #expect(cache.totalAllocatedSize >= 1)
    }

    @Test func writingBeginsByItself() async throws {
        cache["a"] = Data([1])
        try await cache.waitUntilStored("a")
        #expect(cache.totalCount == 1)
    }

    @Test func theLastWriterWins() {
        cache.queue.suspend()
        for number in 0..<10 { cache["a"] = Data([UInt8(number)]) }
        #expect(cache["a"] == Data([9]))
        cache.removeData(for: "a")
        #expect(cache["a"] == nil)
        cache["a"] = Data([10, 11])
        cache.queue.resume()
        cache.flush()
        #expect(cache["a"] == Data([10, 11]))
        #expect(cache.totalSize == 2)
    }

    @Test func removes() {
        cache["a"] = Data([1])
        cache.flush()
        cache["a"] = nil
        #expect(cache["a"] == nil)
        #expect(!cache.containsData(for: "a"))
        cache.removeData(for: "a")
        cache.removeData(for: "never there")
        cache.flush()
        #expect(cache["a"] == nil)
        #expect(cache.totalCount == 0)
        #expect(cache.errorCount == 0)
    }

    @Test func removesAllThatCameBeforeAndNothingAfter() {
        cache["before"] = Data([1])
        cache.flush()
        cache.queue.suspend()
        cache["staged"] = Data([2])
        cache.removeAll()
        cache["after"] = Data([3])
        #expect(cache["before"] == nil)
        #expect(cache["staged"] == nil)
        #expect(cache["after"] == Data([3]))
        cache.queue.resume()
        cache.flush()
        #expect(cache["before"] == nil)
        #expect(cache["staged"] == nil)
        #expect(cache["after"] == Data([3]))
        #expect(cache.totalCount == 1)
    }

    @Test func flushOfOneKeyRemovesAllFirst() {
        cache["before"] = Data([1])
        cache.flush()
        cache.queue.suspend()
        cache.removeAll()
        cache["after"] = Data([3])
        cache.queue.resume()
        cache.flush(for: "after")
        #expect(cache["after"] == Data([3]))
        #expect(cache.totalCount == 1)
        cache.flush()
        #expect(cache["after"] == Data([3]))
        #expect(cache["before"] == nil)
        cache.flush(for: "nothing staged")
    }

    @Test func theEmptyKeyIsSeenOnlyWhileItIsStaged() async {
        cache.queue.suspend()
        cache[""] = Data([1])
        #expect(cache[""] == Data([1]))
        cache.queue.resume()
        cache.flush()
        #expect(cache[""] == nil)
        await #expect(throws: DataCacheError.self) { try await cache.waitUntilStored("") }
    }

    @Test func emptyDataIsAnEntry() {
        cache["a"] = Data()
        cache.flush()
        #expect(cache["a"] == Data())
        #expect(cache.totalCount == 1)
    }

    @Test func keepsWhatWasStoredWhenItIsOpenedAgain() throws {
        cache["a"] = Data([1, 2, 3])
        cache.close()
        let again = try DataCache(unsweptAt: cache.path)
        #expect(again["a"] == Data([1, 2, 3]))
        #expect(again.totalCount == 1)
        again.close()
        #expect(again["a"] == nil)
    }

    @Test func aGeneratorsNamesAreUsedWhereTheyCanNameAFile() throws {
        let own = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("own"))) { $0 }
        own["plain name"] = Data([1])
        own["../../escape"] = Data([2])
        own.flush()
        #expect(own["plain name"] == Data([1]))
        #expect(own.url(for: "../../escape") == nil)
        #expect(own["../../escape"] == nil)
        #expect(own.errorCount == 1)
    }

    @Test func writesThatWaitForOneKeyCostOneFile() throws {
        let names = Mutex(0)
        let own = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("own"))) { key in
            names.withLock { $0 += 1 }
            return DataCache.filename(for: key)
        }
        own.queue.suspend()
        for number in 0..<100 { own["a"] = Data([UInt8(number)]) }
        own.queue.resume()
        own.flush()
        // A file is named once for each write.
        #expect(names.withLock { $0 } == 1)
        #expect(own["a"] == Data([99]))
    }

    @Test func stagingIsBounded() async throws {
        let piece = Data(count: 40 << 20)
        cache.queue.suspend()
        await cache.stage(piece, for: "1")
        await cache.stage(piece, for: "2")
        let third = Task { await cache.stage(piece, for: "3") }
        for _ in 0..<1000 { await Task.yield() }
        #expect(!cache.containsData(for: "3"))
        cache.queue.resume()
        await third.value
        #expect(cache.containsData(for: "3"))
        cache.flush()
        #expect(cache.totalSize == 3 * piece.count)
    }

    /// The time that the disk takes for a durable file, written alone.
    private func timeOfAFile() async throws -> Duration {
        let alone = try Folder(path: folder.path(UUID().uuidString), create: true)
        let (writer, count) = (DurableWriter(threads: 1), 30)
        let time = try await ContinuousClock().measure {
            for number in 0..<count { try await writer.write(Data([1]), to: "\(number)", in: alone) }
        }
        return time / count
    }

    @Test func manySmallStoresAreQuick() async throws {
        let clock = ContinuousClock()
        let before = try await timeOfAFile()
        let start = clock.now
        for number in 0..<3_000 { cache["\(number)"] = Data("\(number)".utf8) }
        cache.flush()
        let stored = clock.now
        for number in 0..<3_000 where cache["\(number)"] != Data("\(number)".utf8) {
            Issue.record("entry \(number) is not what was stored")
        }
        let read = clock.now
        print("3,000 entries: durable in \(stored - start), read in \(read - stored)")
        #expect(cache.totalCount == 3_000)
        // On a disk that is slow or busy at least no longer than without batches.
        let alone = max(before, try await timeOfAFile()) * 3_000
        #expect(stored - start < max(.seconds(15), alone), "one after the other: \(alone)")
    }

    @Test func manyThreadsAtOnce() async {
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask { [cache] in
                    for round in 0..<100 {
                        let key = "\(round % 10)"
                        cache[key] = Data("\(worker) \(round)".utf8)
                        if round % 30 == 0 { cache.removeAll() }
                        if round % 7 == 0 { cache[key] = nil }
                        _ = cache[key]
                    }
                }
            }
        }
        cache.removeAll()
        cache["last"] = Data([1])
        cache.flush()
        #expect(cache.totalCount == 1)
        #expect(cache.errorCount == 0)
    }
}
