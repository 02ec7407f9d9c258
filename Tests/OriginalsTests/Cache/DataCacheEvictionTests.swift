import Foundation
import Originals
import OriginalsFixtures
import TestSupport
import Testing

@Suite("DataCache evicts", .timeLimit(.minutes(10)))
struct DataCacheEvictionTests {
    private let folder: TemporaryFolder
    private let cache: DataCache

    init() throws {
        folder = try TemporaryFolder()
        cache = try DataCache(unsweptAt: URL(fileURLWithPath: folder.path("cache")))
    }

    private func data(_ count: Int) -> Data {
        Data(count: count)
    }

    private func files() throws -> [URL] {
        let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
        let found = FileManager.default.enumerator(at: cache.path, includingPropertiesForKeys: keys)
        return (found?.allObjects ?? []).compactMap { $0 as? URL }
            .filter { $0.lastPathComponent.utf8.count == 40 }
    }

    @Test func theLimitHoldsAtEveryWrite() async throws {
        let seed = UInt64.random(in: 0 ... .max)
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        cache.sizeLimit = 100_000
        for number in 0..<300 {
            let size = Int.random(in: 0...20_000, using: &random)
            try await cache.store(data(size), for: "\(number)")
            let total = cache.totalSize
            #expect(total <= 100_000)
            #expect(cache["\(number)"]?.count == size)
        }
        #expect(cache.totalSize > 80_000)
        let onDisk = try files().map { try Data(contentsOf: $0).count }
        #expect(onDisk.reduce(0, +) == cache.totalSize)
        #expect(onDisk.count == cache.totalCount)
    }

    @Test func whatWasUsedLongestAgoGoesFirst() async throws {
        cache.sizeLimit = 30
        for key in ["a", "b", "c"] { try await cache.store(data(10), for: key) }
        #expect(cache["a"] != nil)
        try await cache.store(data(10), for: "d")
        #expect(cache["b"] == nil)
        #expect(cache["a"] != nil)
        #expect(cache["c"] != nil)
        #expect(cache["d"] != nil)
        try await cache.store(data(20), for: "e")
        #expect(cache["a"] == nil)
        #expect(cache["c"] == nil)
        #expect(cache["d"] != nil)
    }

    @Test func replacingAnEntryFreesItsOldSize() async throws {
        cache.sizeLimit = 30
        try await cache.store(data(10), for: "a")
        try await cache.store(data(20), for: "b")
        try await cache.store(data(20), for: "b")
        #expect(cache["a"] != nil)
        #expect(cache.totalSize == 30)
        try await cache.store(data(25), for: "b")
        #expect(cache["a"] == nil)
        #expect(cache.totalSize == 25)
    }

    @Test func pinsKeepFromEviction() async throws {
        cache.sizeLimit = 30
        try await cache.pin(["a"], by: "job one")
        try await cache.store(data(10), for: "a")
        try await cache.store(data(10), for: "b", pinnedBy: "job two")
        for number in 0..<5 { try await cache.store(data(10), for: "\(number)") }
        #expect(cache["a"] != nil)
        #expect(cache["b"] != nil)
        #expect(cache.totalCount == 3)

        try await cache.pin(["a"], by: "job two")
        try await cache.unpinAll(by: "job two")
        try await cache.store(data(20), for: "big")
        #expect(cache["a"] != nil)
        #expect(cache["b"] == nil)

        try await cache.unpin(["a"], by: "job one")
        try await cache.store(data(30), for: "bigger")
        #expect(cache["a"] == nil)
        #expect(cache.totalCount == 1)
    }

    @Test("an owner whose last pin ends is none any more")
    func ownersWithoutPins() async throws {
        try await cache.store(data(10), for: "a")
        try await cache.pin(["a", "b"], by: "job")
        try await cache.unpin(["a"], by: "job")
        #expect(try cache.pins().owners == ["job"])
        try await cache.unpin(["b"], by: "job")
        #expect(try cache.pins().owners.isEmpty)
        try await cache.pin(["a"], by: "job")
        #expect(try cache.pins() == (10, ["job"]))
    }

    @Test func pinsOutliveTheProcess() async throws {
        try await cache.store(data(10), for: "a", pinnedBy: "job")
        cache.close()
        let again = try DataCache(unsweptAt: cache.path)
        again.sizeLimit = 15
        try await again.store(data(5), for: "b")
        try await again.store(data(5), for: "c")
        #expect(again["a"] != nil)
        #expect(again["b"] == nil)
        again.close()
    }

    @Test func refusesWhatCannotFit() async throws {
        cache.sizeLimit = 30
        try await cache.store(data(20), for: "a", pinnedBy: "job")
        await #expect(throws: DataCacheError.self) { try await cache.store(data(31), for: "larger than all") }
        await #expect(throws: DataCacheError.self) {
            try await cache.store(data(15), for: "beside the pinned")
        }
        #expect(cache["larger than all"] == nil)
        #expect(cache["beside the pinned"] == nil)
        #expect(cache["a"]?.count == 20)
        #expect(cache.errorCount == 2)
        #expect("\(try #require(cache.lastError))".contains("raise its size limit"))
        #expect(try files().count == 1)
    }

    @Test func aRefusedReplacementLeavesNothingStale() async throws {
        cache.sizeLimit = 30
        try await cache.store(data(20), for: "pinned", pinnedBy: "job")
        try await cache.store(data(5), for: "a")
        await #expect(throws: DataCacheError.self) { try await cache.store(data(25), for: "a") }
        #expect(cache["a"] == nil)
        #expect(cache.totalSize == 20)
    }

    @Test func aSweepTrimsToALoweredLimit() async throws {
        for number in 0..<10 { try await cache.store(data(10), for: "\(number)") }
        cache.sizeLimit = 35
        cache.sweep()
        // 70 % of it are 24 bytes.
        #expect(cache.totalCount == 2)
        #expect(cache["9"] != nil)
        #expect(cache["8"] != nil)
        #expect(try files().count == 2)
    }

    @Test func aSweepMakesRoomOnlyIfTheLimitWasReached() async throws {
        cache.sizeLimit = 30
        for number in 0..<3 { try await cache.store(data(10), for: "\(number)") }
        cache.sweep()
        #expect(cache.totalCount == 3)
        try await cache.store(data(10), for: "3")
        #expect(cache.totalCount == 3)
        // The fourth entry would have been over the limit, had it not been held at the write.
        cache.sweep()
        #expect(cache.totalCount == 2)
        #expect(cache["2"] != nil)
        #expect(cache["3"] != nil)
        cache.sweep()
        #expect(cache.totalCount == 2)
    }

    @Test func aSweepKeepsWhatIsPinned() async throws {
        for number in 0..<10 {
            try await cache.store(data(10), for: "\(number)", pinnedBy: number < 4 ? "job" : nil)
        }
        cache.sizeLimit = 35
        cache.sweep()
        #expect(cache.totalCount == 4)
        #expect(cache["0"] != nil)
        #expect(cache["9"] == nil)
    }

    @Test func moreThanATransactionsWorthIsEvicted() async throws {
        for number in 0..<2_500 { cache["\(number)"] = data(1) }
        try await cache.store(data(1), for: "pinned", pinnedBy: "job")
        cache.flush()
        cache.sizeLimit = 100
        try await cache.store(data(90), for: "large")
        #expect(cache.totalCount == 11)
        #expect(cache.totalSize == 100)
        #expect(cache["pinned"] != nil)
        #expect(cache["large"] != nil)
        #expect(try files().count == 11)
    }
}
