import Foundation
public import Originals

/// Work on a cache that tells a journal what it begins and what was acknowledged.
public struct CacheTrial: Sendable {
    /// A sentence about what the cache did that it must not do.
    public struct Failure: Error, CustomStringConvertible {
        /// The sentence.
        public let description: String
    }

    private let cache: DataCache
    private let journal: TrialJournal

    /// Work on `cache`, told to `journal`.
    public init(_ cache: DataCache, journal: TrialJournal) {
        self.cache = cache
        self.journal = journal
    }

    /// A dozen of steps, one after the other, with everything that a cache can be asked for; the same each time.
    /// - Throws: `Failure`, `DataCacheError`.
    public func runOnce() async throws {
        for (version, key) in ["kept-a", "b", "c", "kept-a", "b"].enumerated() {
            try await store(key, version + 1)
        }
        try remove("c")
        try await store("c", 500)
        let together = ["d", "e", "b"].enumerated().map { number, key in
            (key, 600 + number, journal.begin(.store(key, 600 + number)))
        }
        for (key, version, _) in together {
            cache.storeData(TrialContent.data(key, version: version), for: key)
        }
        cache.flush()
        for (_, _, number) in together { try done(number) }
        let removal = journal.begin(.removeAll)
        cache.removeAll()
        cache.flush()
        try done(removal)
        for (number, key) in ["kept-f", "g", "h"].enumerated() { try await store(key, 700 + number) }
        journal.done(journal.begin(.evict))
        cache.sizeLimit = cache.totalSize
        try await store("kept-i", 800)
        try await store("kept-f", 801)
        try holdsItsLimit()
        if let error = cache.lastError { throw error }
    }

    /// Random steps on four lanes of keys at once, until `isOver`; the numbers of versions begin at `first`.
    ///
    /// Keys are the `worker`'s own, but for some that all workers of the folder share. The limit must leave room for
    /// 32 pinned entries a worker. No entry that a lane removes comes back, and none that it pins goes.
    /// - Throws: `Failure`, `DataCacheError`.
    public func run(
        worker: String,
        seed: UInt64,
        first: Int,
        isOver: @escaping @Sendable (_ steps: Int) -> Bool
    ) async throws {
        journal.done(journal.begin(.evict))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    var random = TrialRandom(state: seed &+ UInt64(lane) &* 7919)
                    var (step, held) = (0, [String: Int]())
                    while !isOver(step) {
                        try await go(on: "\(worker)\(lane)", version: first + step * 4 + lane, &held, &random)
                        step += 1
                    }
                }
            }
            try await group.waitForAll()
        }
        cache.flush()
        try holdsItsLimit()
        if let error = cache.lastError { throw error }
    }

    /// One step of a lane, which knows in `held` what its keys hold since they were first written: 0 is nothing.
    private func go(
        on lane: String,
        version: Int,
        _ held: inout [String: Int],
        _ random: inout TrialRandom
    ) async throws {
        let number = Int.random(in: 0..<40, using: &random)
        let key =
            number < 8 ? "kept-\(lane)-\(number)" : number < 12 ? "shared-\(number)" : "\(lane)-\(number)"
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<55:
            try await store(key, version)
            held[key] = version
        case 55..<70:
            try remove(key)
            held[key] = 0
        default:
            let data = cache.cachedData(for: key)
            let found = data.map { TrialContent.version(of: $0, key) ?? -1 } ?? 0
            let expected = key.hasPrefix("shared") ? nil : held[key]
            let mayBeEvicted = found == 0 && !key.hasPrefix("kept")
            guard found == expected || expected == nil && found >= 0 || mayBeEvicted else {
                throw Failure(description: "\(key) holds \(found) and not \(expected ?? 0)")
            }
        }
        if version % 16 == 0 { try holdsItsLimit() }
        if version % 4096 == 0 { cache.sweep() }
    }

    private func store(_ key: String, _ version: Int) async throws {
        let number = journal.begin(.store(key, version))
        let data = TrialContent.data(key, version: version)
        do {
            try await cache.store(data, for: key, pinnedBy: key.hasPrefix("kept") ? "trial" : nil)
        } catch .removed where key.hasPrefix("shared") {
            // By another lane, which may do that.
        }
        journal.done(number)
    }

    private func remove(_ key: String) throws(DataCacheError) {
        let number = journal.begin(.remove(key))
        cache.removeData(for: key)
        cache.flush(for: key)
        try done(number)
    }

    /// Notes what was flushed, which says that it is over and not that it is done.
    private func done(_ number: Int) throws(DataCacheError) {
        if let error = cache.lastError { throw error }
        journal.done(number)
    }

    private func holdsItsLimit() throws {
        let (size, limit) = (cache.totalSize, cache.sizeLimit)
        if size > limit { throw Failure(description: "\(size) bytes where \(limit) are the limit") }
    }
}

/// Random numbers that a seed repeats (SplitMix64).
private struct TrialRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
