import Foundation
import Nuke
import TestSupport
import Testing

/// A container without a bitmap costs 1, and its data.
private func container(_ cost: Int) -> ImageContainer {
    ImageContainer(image: PlatformImage(), data: Data(count: cost - 1))
}

private func key(_ name: String) -> ImageCacheKey { ImageCacheKey(key: name) }

extension ImageCache {
    /// Returns those of `names` that are cached; reading an entry marks it as used.
    fileprivate func held(_ names: String...) -> String {
        names.filter { self[key($0)] != nil }.joined()
    }

    fileprivate func store(_ names: String..., cost: Int = 1) {
        for name in names { self[key(name)] = container(cost) }
    }

    fileprivate static func roomy(costLimit: Int = .max, countLimit: Int = .max) -> ImageCache {
        let cache = ImageCache(costLimit: costLimit, countLimit: countLimit)
        cache.entryCostLimit = 1
        return cache
    }
}

@Suite("ImageCache")
struct ImageCacheTests {
    @Test func hasNukesDefaults() {
        let cache = ImageCache()
        let memory = Double(ProcessInfo.processInfo.physicalMemory)
        #expect(abs(Double(cache.costLimit) - min(memory * 0.15, 805_306_368)) < 64)
        #expect(cache.costLimit == ImageCache.defaultCostLimit)
        #expect(cache.countLimit == .max)
        #expect(cache.ttl == nil)
        #expect(cache.entryCostLimit == 0.1)
        #expect(cache.totalCount == 0 && cache.totalCost == 0)
        #expect(ImageCache(costLimit: 7, countLimit: 3).costLimit == 7)
        #expect(ImageCache.shared === ImageCache.shared)
    }

    @Test func keepsWhatIsStoredUntilItIsRemoved() {
        let cache = ImageCache.roomy()
        #expect(cache[key("a")] == nil)
        cache[key("a")] = container(10)
        cache[key("b")] = container(20)
        #expect(cache[key("a")]?.data?.count == 9)
        #expect(cache.totalCount == 2 && cache.totalCost == 30)
        cache[key("a")] = container(5)
        #expect(cache.totalCount == 2 && cache.totalCost == 25)
        cache[key("b")] = nil
        cache[key("b")] = nil
        #expect(cache.totalCount == 1 && cache.totalCost == 5)
        cache.removeAll()
        #expect(cache.totalCount == 0 && cache.totalCost == 0 && cache[key("a")] == nil)
        cache.store("c")
        #expect(cache.held("a", "b", "c") == "c")
    }

    @Test func aBitmapCostsFourBytesAPixel() throws {
        let cache = ImageCache.roomy()
        cache[key("a")] = ImageContainer(image: try MadeImages.photo())
        #expect(cache.totalCost == 1_228_800)
        cache[key("b")] = ImageContainer(image: MadeImages.plain(3, 5), data: Data(count: 100))
        #expect(cache.totalCost == 1_228_800 + 160)
    }

    @Test func refusesWhatCostsAsMuchAsItsPart() {
        let cache = ImageCache(costLimit: 1000)
        cache.store("a", cost: 99)
        cache.store("b", cost: 100)
        #expect(cache.held("a", "b") == "a")
        cache.store("a", cost: 100)
        #expect(cache[key("a")] == nil, "the old one is not what was stored last")
        #expect(cache.totalCount == 0 && cache.totalCost == 0)
        cache.entryCostLimit = 5
        cache.store("c", cost: 900)
        cache.store("d", cost: 1000)
        #expect(cache.held("c", "d") == "c")
        for limit in [-1, Double.nan] {
            cache.entryCostLimit = limit
            cache.store("e")
            #expect(cache[key("e")] == nil)
        }
    }

    @Test func refusedImagesReplaceWhateverTheReason() {
        for refuse: (ImageCache) -> Void in [
            { $0.entryCostLimit = 0 }, { $0.entryCostLimit = .nan }, { $0.costLimit = 0 },
            { $0.costLimit = -1 }, { $0.countLimit = 0 },
        ] {
            let cache = ImageCache.roomy()
            cache.store("a", "b")
            refuse(cache)
            cache.store("a", cost: 5)
            #expect(cache[key("a")] == nil)
        }
        let cache = ImageCache(costLimit: 1000)
        cache.ttl = .infinity
        cache.store("a", cost: 10)
        cache.store("b", cost: 10)
        // The refused one leaves what belongs to others.
        cache.store("a", cost: 500)
        #expect(cache.held("a", "b") == "b" && cache.totalCost == 10)
        cache.store("a", cost: 20)
        #expect(cache.held("a", "b") == "ab" && cache.totalCost == 30)
    }

    @Test func requestsAndURLsAreKeys() {
        let cache: any ImageCaching = ImageCache.roomy()
        let url = URL(fileURLWithPath: "/a.jpg")
        let request = ImageRequest(url: url)
        cache[request] = container(3)
        #expect(cache[ImageCacheKey(request: request)]?.data?.count == 2)
        #expect(cache[url] != nil && cache[ImageRequest(url: url, processors: [.circle()])] == nil)
        cache[url] = nil
        #expect(cache[request] == nil)
    }

    @Test(arguments: [3_000_000_000, Int.max])
    func takesAnyLimit(_ limit: Int) {
        let cache = ImageCache(costLimit: limit)
        cache.entryCostLimit = 1
        cache.store("a", cost: 1000)
        #expect(cache.totalCost == 1000)
    }

    @Test func theFirstStoredIsTheFirstToLeave() {
        let byCount = ImageCache.roomy(countLimit: 2)
        byCount.store("a", "b", "c")
        #expect(byCount.held("a", "b", "c") == "bc")
        let byCost = ImageCache.roomy(costLimit: 25)
        byCost.store("a", "b", "c", cost: 10)
        #expect(byCost.held("a", "b", "c") == "bc")
    }

    @Test func whatWasReadGetsASecondChanceButOne() {
        let cache = ImageCache.roomy(countLimit: 3)
        cache.store("a", "b", "c")
        #expect(cache.held("a") == "a")
        cache.store("d")
        cache.trim(toCount: 3)
        // b made room; a has become the last but d, unmarked.
        cache.trim(toCount: 2)
        #expect(cache.held("b", "c") == "")
        #expect(cache.totalCount == 2)
        cache.trim(toCount: 0)
        #expect(cache.totalCount == 0 && cache.totalCost == 0)
    }

    @Test func aReadProtectsFromOneRoundOnly() {
        let cache = ImageCache.roomy()
        cache.store("a", "b")
        #expect(cache.held("a") == "a")
        cache.trim(toCount: 1)
        cache.store("c")
        cache.trim(toCount: 1)
        #expect(cache.held("a", "b", "c") == "c")
    }

    @Test func trimmingEndsThoughAllWereRead() {
        let cache = ImageCache.roomy()
        cache.store("a", "b", "c", "d", cost: 10)
        #expect(cache.held("a", "b", "c", "d") == "abcd")
        cache.trim(toCost: 25)
        #expect(cache.held("a", "b", "c", "d") == "cd")
    }

    @Test func theNewOneStaysThoughAllOthersWereRead() {
        let cache = ImageCache.roomy(countLimit: 3)
        cache.store("a", "b", "c")
        #expect(cache.held("a", "b", "c") == "abc")
        cache.store("d")
        #expect(cache.held("a", "b", "c", "d") == "bcd")
        let single = ImageCache.roomy(countLimit: 1)
        single.store("a")
        #expect(single.held("a") == "a")
        single.store("b")
        #expect(single.held("a", "b") == "b")
    }

    @Test func storingAgainMakesItTheLastToLeave() {
        let cache = ImageCache.roomy(countLimit: 3)
        cache.store("a", "b", "c")
        cache.store("a")
        cache.store("d")
        #expect(cache.held("a", "b", "c", "d") == "acd")
    }

    @Test func loweringALimitTrimsAtOnce() {
        let cache = ImageCache.roomy()
        cache.store("a", "b", "c", cost: 10)
        cache.costLimit = 20
        #expect(cache.totalCost == 20)
        cache.countLimit = 1
        #expect(cache.totalCount == 1)
        #expect(cache.held("a", "b", "c") == "c")
        cache.countLimit = 5
        cache.costLimit = 500
        #expect(cache.totalCount == 1)
        #expect(cache.costLimit == 500 && cache.countLimit == 5)
    }

    @Test func trimmingToWhatThereIsRemovesNothing() {
        let cache = ImageCache.roomy()
        cache.store("a", "b", cost: 10)
        cache.trim(toCost: 20)
        cache.trim(toCount: 2)
        #expect(cache.totalCount == 2)
        cache.trim(toCost: -1)
        #expect(cache.totalCount == 0)
    }

    @Test func whatHasExpiredIsRemovedWhenItIsRead() {
        let cache = ImageCache.roomy()
        cache.store("a")
        cache.ttl = 0
        cache.store("b", cost: 5)
        #expect(cache.totalCount == 2 && cache.totalCost == 6)
        #expect(cache[key("b")] == nil)
        #expect(cache.totalCount == 1 && cache.totalCost == 1)
        // What is stored keeps the ttl that it was stored with.
        #expect(cache[key("a")] != nil)
        cache.store("c")
        cache.ttl = .infinity
        #expect(cache[key("c")] == nil)
        cache.store("d")
        #expect(cache[key("d")] != nil)
    }

    @Test(arguments: [UInt64](1...4))
    func itsTotalsAreThoseOfItsEntries(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let cache = ImageCache.roomy(costLimit: 60, countLimit: 12)
        let names = (0..<24).map { "\($0)" }
        var last: [String: Int] = [:]
        for _ in 0..<4000 {
            let name = names[Int.random(in: 0..<24, using: &random)]
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                last[name] = .random(in: 1...9, using: &random)
                cache.store(name, cost: last[name] ?? 1)
            case 9..<14:
                if let found = cache[key(name)] { #expect(found.data?.count == (last[name] ?? 0) - 1) }
            case 14, 15: cache[key(name)] = nil
            case 16: cache.trim(toCost: .random(in: 0...60, using: &random))
            case 17: cache.trim(toCount: .random(in: 0...12, using: &random))
            case 18: cache.costLimit = .random(in: 10...60, using: &random)
            default: cache.countLimit = .random(in: 1...12, using: &random)
            }
            #expect(cache.totalCost <= cache.costLimit && cache.totalCount <= cache.countLimit)
        }
        let held = names.filter { cache[key($0)] != nil }
        #expect(held.count == cache.totalCount)
        #expect(held.reduce(0) { $0 + (last[$1] ?? 0) } == cache.totalCost)
    }

    @Test func mayBeUsedFromManyThreads() {
        let cache = ImageCache.roomy(costLimit: 100, countLimit: 20)
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            var random = SeededGenerator(seed: UInt64(worker + 1))
            for _ in 0..<4000 {
                let number = Int.random(in: 0..<40, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4: cache.store("\(number)", cost: number % 5 + 1)
                case 4..<8: _ = cache[key("\(number)")]
                case 8: cache[key("\(number)")] = nil
                default: cache.trim(toCount: .random(in: 5...20, using: &random))
                }
            }
        }
        let held = (0..<40).filter { cache[key("\($0)")] != nil }
        #expect(held.count == cache.totalCount)
        #expect(held.reduce(0) { $0 + $1 % 5 + 1 } == cache.totalCost)
    }
}

@Suite("ImageCacheKey")
struct ImageCacheKeyTests {
    private func request(_ url: String = "http://h/a") -> ImageRequest { ImageRequest(url: URL(string: url)) }

    @Test func equalRequestsHaveOneKey() throws {
        let url = try #require(URL(string: "http://h/a"))
        var fields = URLRequest(url: url)
        fields.setValue("1", forHTTPHeaderField: "X")
        let one = ImageCacheKey(request: request())
        #expect(one == ImageCacheKey(request: ImageRequest(urlRequest: fields)))
        #expect(one.hashValue == ImageCacheKey(request: ImageRequest(urlRequest: fields)).hashValue)
        var other = request()
        other.priority = .high
        other.options = [.disableDiskCache]
        #expect(ImageCacheKey(request: other) == one)
    }

    @Test func whatChangesTheImageChangesTheKey() {
        var requests = [request(), request("http://h/b"), request(), request(), request(), request()]
        requests[2].imageID = "id"
        requests[3].scale = 2
        requests[4].thumbnail = .init(maxPixelSize: 40)
        requests[5].processors = [.resize(width: 10)]
        #expect(Set(requests.map { ImageCacheKey(request: $0) }).count == requests.count)
        #expect(ImageCacheKey(key: "a") == ImageCacheKey(key: "a"))
        #expect(ImageCacheKey(key: "a") != ImageCacheKey(key: "b"))
    }

    @Test func processorsAreComparedInOrderByTheirHashableIdentifier() {
        func keyed(_ processors: [any ImageProcessing]) -> ImageCacheKey {
            ImageCacheKey(request: ImageRequest(url: URL(string: "http://h/a"), processors: processors))
        }
        #expect(keyed([.resize(width: 10), .circle()]) == keyed([.resize(width: 10), .circle()]))
        #expect(keyed([.resize(width: 10), .circle()]) != keyed([.circle(), .resize(width: 10)]))
        #expect(keyed([.process(id: "1") { $0 }]) == keyed([.process(id: "1") { _ in nil }]))
        #expect(keyed([.process(id: "1") { $0 }]) != keyed([.process(id: "2") { $0 }]))
    }
}
