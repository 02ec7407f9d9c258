public import Foundation
import Synchronization

/// A memory cache of images with limits on cost and count; images that are read again stay longest.
///
/// The cost of an image is four bytes a pixel plus its data. Eviction is never asynchronous: excess
/// images are removed when one is stored or a limit is lowered, and expired ones when they are
/// read. Under memory pressure call `trim(toCost:)` or `removeAll()`.
///
/// Safe to use from any thread; every operation takes constant time.
public final class ImageCache: ImageCaching {
    /// The default cache.
    public static let shared = ImageCache()

    private struct Contents {
        var entries = EvictionList()
        var costLimit: Int
        var countLimit: Int
        var ttl: TimeInterval?
        var entryCostLimit = 0.1

        /// The bound that an entry's cost must stay below.
        var largestCost: Int {
            let part = entryCostLimit.isNaN ? 0 : min(max(entryCostLimit, 0), 1)
            return Int(exactly: (part * Double(costLimit)).rounded(.towardZero)) ?? .max
        }

        mutating func trim() -> [ImageContainer] {
            entries.trim(toCost: costLimit) + entries.trim(toCount: countLimit)
        }
    }

    // Removed images are freed outside the lock, since returning memory to the system takes time.
    private let contents: Mutex<Contents>

    /// Creates a cache; by default with `defaultCostLimit` and any number of images.
    public init(costLimit: Int = ImageCache.defaultCostLimit, countLimit: Int = Int.max) {
        contents = Mutex(Contents(costLimit: costLimit, countLimit: countLimit))
    }

    /// 15 % of the machine's memory, at most 768 MiB.
    public static var defaultCostLimit: Int {
        Int(min(ProcessInfo.processInfo.physicalMemory / 20 * 3, 805_306_368))
    }

    /// The most that all images may cost, in bytes; lowering it evicts the excess at once.
    public var costLimit: Int {
        get { contents.withLock { $0.costLimit } }
        set { change { $0.costLimit = newValue } }
    }

    /// The most images; lowering it evicts the excess at once.
    public var countLimit: Int {
        get { contents.withLock { $0.countLimit } }
        set { change { $0.countLimit = newValue } }
    }

    /// The lifetime in seconds of images stored from now on; nil, the default, for no limit.
    public var ttl: TimeInterval? {
        get { contents.withLock { $0.ttl } }
        set { contents.withLock { $0.ttl = newValue } }
    }

    /// The part of `costLimit` that the cost of one image must stay below, 0 to 1; a tenth by default.
    ///
    /// A larger image is not stored, and the older image of its key is removed.
    public var entryCostLimit: Double {
        get { contents.withLock { $0.entryCostLimit } }
        set { contents.withLock { $0.entryCostLimit = newValue } }
    }

    /// The number of images, including expired ones that were not read since.
    public var totalCount: Int { contents.withLock { $0.entries.count } }

    /// The cost of all images, in bytes.
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
        let removed = contents.withLock { exchange(&$0.entries, with: EvictionList()) }
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
            // What is there is not what was stored last.
            guard cost < contents.largestCost else { return contents.entries.remove(key).map { [$0] } ?? [] }
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

    /// The seconds of a monotonic clock.
    private static var now: TimeInterval { ProcessInfo.processInfo.systemUptime }
}

extension ImageContainer {
    /// The cost in a cache: four bytes a pixel, whatever the pixels take here, or 1 without any, plus the data.
    var cost: Int { max(1, image.width * image.height * 4) + (data?.count ?? 0) }
}
