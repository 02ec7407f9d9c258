public import Foundation
import Synchronization

/// Keeps images in memory, within a cost and a count; those that are read again stay longest.
///
/// The cost of an image is what its bitmap takes, four bytes a pixel, and the data that comes with it. Nothing leaves the
/// cache by itself: what is too much is removed when something is stored or a limit is lowered, what has expired when it is
/// read. Whoever is told that memory runs low calls `trim(toCost:)` or `removeAll()`.
///
/// May be used from any thread; every operation takes the same time, however much there is.
public final class ImageCache: ImageCaching {
    /// The cache that is used where none is named.
    public static let shared = ImageCache()

    private struct Contents {
        var entries = ClockList()
        var costLimit: Int
        var countLimit: Int
        var ttl: TimeInterval?
        var entryCostLimit = 0.1

        /// What an entry's cost must stay below.
        var largestCost: Int {
            let part = entryCostLimit.isNaN ? 0 : min(max(entryCostLimit, 0), 1)
            return Int(exactly: (part * Double(costLimit)).rounded(.towardZero)) ?? .max
        }

        mutating func trim() -> [ImageContainer] {
            entries.trim(toCost: costLimit) + entries.trim(toCount: countLimit)
        }
    }

    // What is removed is freed when the lock is open again: memory goes back to the system, which takes its time.
    private let contents: Mutex<Contents>

    /// A cache; without limits of one's own, of `defaultCostLimit` and of any number of images.
    public init(costLimit: Int = ImageCache.defaultCostLimit, countLimit: Int = Int.max) {
        contents = Mutex(Contents(costLimit: costLimit, countLimit: countLimit))
    }

    /// 15 % of the machine's memory, at most 768 MiB.
    public static var defaultCostLimit: Int {
        Int(min(ProcessInfo.processInfo.physicalMemory / 20 * 3, 805_306_368))
    }

    /// The most that all images may cost, in bytes; lowering it removes at once what is too much.
    public var costLimit: Int {
        get { contents.withLock { $0.costLimit } }
        set { change { $0.costLimit = newValue } }
    }

    /// The most images; lowering it removes at once what is too much.
    public var countLimit: Int {
        get { contents.withLock { $0.countLimit } }
        set { change { $0.countLimit = newValue } }
    }

    /// For how many seconds an image that is stored from now on may be read; nil, the default, for ever.
    public var ttl: TimeInterval? {
        get { contents.withLock { $0.ttl } }
        set { contents.withLock { $0.ttl = newValue } }
    }

    /// The part of `costLimit` that the cost of one image must stay below, 0 to 1; a tenth unless set.
    ///
    /// What is larger is not stored; what the cache had for its key stays.
    public var entryCostLimit: Double {
        get { contents.withLock { $0.entryCostLimit } }
        set { contents.withLock { $0.entryCostLimit = newValue } }
    }

    /// How many images there are, expired ones that were not read since with them.
    public var totalCount: Int { contents.withLock { $0.entries.count } }

    /// What they cost together, in bytes.
    public var totalCost: Int { contents.withLock { $0.entries.cost } }

    /// The image of a key; setting nil removes it.
    public subscript(key: ImageCacheKey) -> ImageContainer? {
        get { contents.withLock { $0.entries.read(key, at: Self.now) } }
        set {
            guard let newValue else { return remove(key) }
            store(newValue, for: key)
        }
    }

    /// Removes all.
    public func removeAll() {
        let removed = contents.withLock { contents -> ClockList in
            defer { contents.entries = ClockList() }
            return contents.entries
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes images until they cost at most `limit` bytes together.
    public func trim(toCost limit: Int) {
        let removed = contents.withLock { $0.entries.trim(toCost: limit) }
        withExtendedLifetime(removed) {}
    }

    /// Removes images until there are at most `limit`.
    public func trim(toCount limit: Int) {
        let removed = contents.withLock { $0.entries.trim(toCount: limit) }
        withExtendedLifetime(removed) {}
    }

    private func store(_ container: ImageContainer, for key: ImageCacheKey) {
        let cost = container.cost
        let removed = contents.withLock { contents -> [ImageContainer] in
            guard cost < contents.largestCost else { return [] }
            let expiration = contents.ttl.map { Self.now + $0 }
            return contents.entries.add(
                container,
                cost: cost,
                expiration: expiration,
                for: key,
                costLimit: contents.costLimit,
                countLimit: contents.countLimit
            )
        }
        withExtendedLifetime(removed) {}
    }

    private func remove(_ key: ImageCacheKey) {
        let removed = contents.withLock { $0.entries.remove(key) }
        withExtendedLifetime(removed) {}
    }

    private func change(_ change: (inout Contents) -> Void) {
        let removed = contents.withLock { contents in
            change(&contents)
            return contents.trim()
        }
        withExtendedLifetime(removed) {}
    }

    /// Seconds by a clock that nobody sets.
    private static var now: TimeInterval { ProcessInfo.processInfo.systemUptime }
}

extension ImageContainer {
    /// What it takes in a cache: four bytes a pixel, whatever the pixels take here, or 1 without any, and the data.
    var cost: Int {
        max(1, image.width * image.height * 4) + (data?.count ?? 0)
    }
}
