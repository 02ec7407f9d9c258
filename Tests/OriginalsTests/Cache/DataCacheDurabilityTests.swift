import Files
import Foundation
import Originals
import SQLite
import OriginalsFixtures
import TestSupport
import Testing

@Suite("DataCache after trouble", .timeLimit(.minutes(10)))
struct DataCacheDurabilityTests {
    private let folder: TemporaryFolder
    private let path: URL

    init() throws {
        folder = try TemporaryFolder()
        path = URL(fileURLWithPath: folder.path("cache"))
    }

    /// A copy of the folder as a killed process leaves it: the files as they are, nothing closed.
    private func snapshot(of cache: DataCache) throws -> URL {
        let copy = URL(fileURLWithPath: folder.path("killed-\(UUID().uuidString)"))
        try FileManager.default.copyItem(at: cache.path, to: copy)
        return copy
    }

    @Test func storeReturnsWhenItIsDurable() async throws {
        let cache = try DataCache(unsweptAt: path)
        let metadata = DataCache.Metadata(
            finalURL: "http://h/b",
            contentType: "image/png",
            etag: "\"1\"",
            lastModified: "Thu, 01 Jan 1970 00:00:00 GMT"
        )
        try await cache.store(Data("abc".utf8), for: "a", metadata: metadata)
        let found = try #require(try DataCache(unsweptAt: try snapshot(of: cache)).metadata(for: "a"))
        #expect(found.finalURL == "http://h/b")
        #expect(found.contentType == "image/png")
        #expect(found.etag == "\"1\"")
        #expect(found.lastModified == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(found.size == 3)
        #expect(found.sha256 == Data(Digest.sha256.bytes(of: Data("abc".utf8))))
        #expect(abs(try #require(found.created).timeIntervalSinceNow) < 60)
        #expect(cache.metadata(for: "b") == nil)
    }

    @Test func theIndexIsPrivateAndOneOfAnEarlierVersionBecomesSo() async throws {
        let index = path.appendingPathComponent("index.sqlite").path
        func permissions() throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: index)[.posixPermissions] as? Int
        }
        try DataCache(unsweptAt: path).close()
        #expect(try permissions() == 0o600)
        for (found, expected) in [(0o644, 0o600), (0o640, 0o600), (0o664, 0o664)] {
            try FileManager.default.setAttributes([.posixPermissions: found], ofItemAtPath: index)
            try DataCache(unsweptAt: path).close()
            #expect(try permissions() == expected)
        }
    }

    @Test func theLocksOfACacheAreNoSymbolicLinks() throws {
        try DataCache(unsweptAt: path).close()
        let lock = path.appendingPathComponent("index.lock")
        try FileManager.default.removeItem(at: lock)
        try FileManager.default.createSymbolicLink(atPath: lock.path, withDestinationPath: "elsewhere")
        #expect(throws: (any Error).self) { try DataCache(unsweptAt: path) }
        #expect(!FileManager.default.fileExists(atPath: path.appendingPathComponent("elsewhere").path))
    }

    @Test func waitUntilStoredTellsWhatBecameOfAWrite() async throws {
        let cache = try DataCache(unsweptAt: path)
        await #expect(throws: DataCacheError.self) { try await cache.waitUntilStored("never stored") }
        cache.queue.suspend()
        cache["a"] = Data([1])
        cache["b"] = Data([2])
        async let a: Void = cache.waitUntilStored("a")
        async let stored: Void = cache.store(Data([3]), for: "c")
        cache.queue.resume()
        try await a
        try await stored
        try await cache.waitUntilStored("b")
        #expect(cache.totalCount == 3)
    }

    @Test func aStagedChangeTellsItsResultAlsoAfterItsEnd() async throws {
        let cache = try DataCache(unsweptAt: path)
        #expect(cache.stagedChange(for: "a") == nil)
        cache.queue.suspend()
        (cache["a"], cache["b"]) = (Data([1]), Data([2]))
        let (stored, removed) = (
            try #require(cache.stagedChange(for: "a")), try #require(cache.stagedChange(for: "b"))
        )
        async let early = stored.result
        cache.removeData(for: "b")
        cache.queue.resume()
        try await early.get()
        cache.flush()
        #expect(cache.stagedChange(for: "a") == nil)
        try await stored.result.get()
        await #expect(throws: DataCacheError.self) { try await removed.result.get() }
    }

    @Test func aStoreThatIsRemovedFirstIsNotAcknowledged() async throws {
        let cache = try DataCache(unsweptAt: path)
        cache.queue.suspend()
        let store = Task { try await cache.store(Data([1]), for: "a") }
        try await eventually { cache["a"] != nil }
        cache.removeAll()
        cache.queue.resume()
        await #expect(throws: DataCacheError.self) { try await store.value }
    }

    @Test(arguments: ["missing", "empty", "truncated", "longer"])
    func aFileThatDoesNotFitItsRowIsAMissAndHeals(damage: String) async throws {
        let cache = try DataCache(unsweptAt: path)
        let data = Data("some bytes".utf8)
        try await cache.store(data, for: "a")
        let file = try #require(cache.url(for: "a"))
        switch damage {
        case "missing": try FileManager.default.removeItem(at: file)
        case "empty": try Data().write(to: file)
        case "truncated": try data.dropLast().write(to: file)
        default: try (data + data).write(to: file)
        }
        #expect(!cache.containsData(for: "a"))
        #expect(cache["a"] == nil)
        // The row goes first, the file second.
        try await eventually {
            cache.totalCount == 0 && !FileManager.default.fileExists(atPath: file.path)
        }
        try await cache.store(data, for: "a")
        #expect(cache["a"] == data)
    }

    @Test func changedBytesAreFoundAfterAnUncleanEnd() async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(Data("good".utf8), for: "a")
        try await cache.store(Data("fine".utf8), for: "b")
        let killed = try snapshot(of: cache)
        cache.close()
        let again = try DataCache(unsweptAt: killed)
        try Data("evil".utf8).write(to: try #require(again.url(for: "a")))
        #expect(again["a"] == nil)
        #expect(again["b"] == Data("fine".utf8))
        #expect(again["b"] == Data("fine".utf8))
        try await eventually { again.totalCount == 1 }
        again.close()
    }

    @Test func aFileWithoutARowIsSweptAfterAnUncleanEnd() async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(Data([1]), for: "a")
        let orphan = path.appendingPathComponent("00/00334ee0b51600df6397ce93ceed4728c37fee4e")
        try FileManager.default.createDirectory(
            at: orphan.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data([2]).write(to: orphan)
        try Data([3]).write(to: orphan.deletingLastPathComponent().appendingPathComponent(".nb-1.tmp"))
        let killed = try snapshot(of: cache)
        cache.close()
        let again = try DataCache(unsweptAt: killed)
        let names = { try FileManager.default.contentsOfDirectory(atPath: killed.path + "/00") }
        try await eventually { try names().isEmpty }
        #expect(again["a"] == Data([1]))
        again.close()
    }

    @Test func writeErrorsAreReported() async throws {
        let cache = try DataCache(unsweptAt: path)
        let file = try #require(cache.url(for: "a"))
        // A file stands where the folder of this key must be.
        try Data().write(to: file.deletingLastPathComponent())
        await #expect(throws: DataCacheError.self) { try await cache.store(Data([1]), for: "a") }
        #expect(cache["a"] == nil)
        cache["a"] = Data([1])
        cache.flush()
        #expect(cache.errorCount == 2)
        #expect("\(try #require(cache.lastError))".contains(path.path))
        await #expect(throws: DataCacheError.self) { try await cache.waitUntilStored("a") }
        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        try await cache.store(Data([1]), for: "a")
        try await cache.waitUntilStored("a")
        #expect(cache["a"] == Data([1]))
    }

    @Test func aFolderThatCannotBeMadeIsAnError() throws {
        try folder.write("", to: "file")
        #expect(throws: FileError.self) {
            try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("file/cache")))
        }
    }

    @Test(arguments: [0, 100])
    func aDamagedIndexBeginsAnew(offset: Int) async throws {
        let cache = try DataCache(unsweptAt: path)
        try await cache.store(Data([1]), for: "a")
        let file = try #require(cache.url(for: "a"))
        cache.close()
        let index = path.appendingPathComponent("index.sqlite")
        var bytes = try Data(contentsOf: index)
        bytes.replaceSubrange(offset..<bytes.count, with: Data(repeating: 0x5A, count: bytes.count - offset))
        try bytes.write(to: index)
        let again = try DataCache(unsweptAt: path)
        #expect(again["a"] == nil)
        try await eventually { !FileManager.default.fileExists(atPath: file.path) }
        try await again.store(Data([2]), for: "a")
        #expect(again["a"] == Data([2]))
        again.close()
    }

    @Test func anotherProgramsDatabaseIsNotTouched() throws {
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        let index = folder.path("cache/index.sqlite")
        let other = try Database(path: index) { try $0.execute("PRAGMA application_id=7; CREATE TABLE t(n)") }
        other.close()
        #expect(throws: MigrationError.self) { try DataCache(unsweptAt: path) }
        let kept = try Database(path: index)
        #expect(try kept.readNow { try $0.integer("SELECT count(*) FROM t") } == 0)
        kept.close()
    }

    @Test func cachesComeAndGoInOneFolder() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask { [path] in
                    for round in 0..<10 {
                        let cache = try DataCache(unsweptAt: path)
                        try await cache.store(Data([UInt8(round)]), for: "\(worker)")
                        #expect(cache["\(worker)"] == Data([UInt8(round)]))
                        // Some are closed, some are freed.
                        if round % 2 == 0 { cache.close() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let last = try DataCache(unsweptAt: path)
        #expect(last.totalCount == 4)
        last.close()
    }

    @Test func twoCachesShareOneFolder() async throws {
        let one = try DataCache(unsweptAt: path)
        let two = try DataCache(unsweptAt: path)
        (one.sizeLimit, two.sizeLimit) = (50_000, 50_000)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, cache) in [one, two, one, two].enumerated() {
                group.addTask {
                    for round in 0..<100 {
                        let key = number < 2 ? "shared \(round)" : "\(number) \(round)"
                        let data = Data(repeating: UInt8(round), count: 100 + round)
                        try await cache.store(data, for: key)
                        let read = cache[key]
                        #expect(read == nil || read == data)
                        if round % 25 == 0 { cache.sweep() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(one.totalSize <= 50_000)
        #expect(one.totalCount == two.totalCount)
        for round in 0..<100 { #expect(one["2 \(round)"] == two["2 \(round)"]) }
        #expect(one["3 99"] == Data(repeating: 99, count: 199))
        two.close()
        one.close()
        let again = try DataCache(unsweptAt: path)
        #expect(again.totalCount > 0)
        again.close()
    }
}
