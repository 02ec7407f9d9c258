/// Images in eviction order: first in, first out, with a second chance for those that were read since.
///
/// Corbató's clock (MIT Project MAC, 1968): a read only marks, which is cheaper than exact LRU order, and keeps nearly
/// the same images. The entries are a list through the indices of an array, so that nothing is searched or moved.
struct EvictionList {
    private struct Entry {
        let key: ImageCacheKey
        let container: ImageContainer
        let cost: Int
        let expiration: Double?
        var wasRead: Bool
        var previous, next: Int?
    }

    private(set) var cost = 0
    var count: Int { positions.count }

    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var positions: [ImageCacheKey: Int] = [:]
    private var head, tail: Int?

    /// Returns and marks the image of a key; removes an expired one.
    mutating func read(_ key: ImageCacheKey, at now: Double) -> ImageContainer? {
        guard let position = positions[key], let entry = entries[position] else { return nil }
        if let expiration = entry.expiration, expiration <= now {
            remove(at: position)
            return nil
        }
        entries[position]?.wasRead = true
        return entry.container
    }

    /// Adds an image as the last to leave, replacing that of the key, and evicts the excess.
    ///
    /// The new one is not evicted as long as there are others, even if all of them were read.
    /// - Returns: The removed images.
    mutating func add(
        _ container: ImageContainer,
        cost: Int,
        expiration: Double?,
        for key: ImageCacheKey,
        costLimit: Int,
        countLimit: Int
    ) -> [ImageContainer] {
        let replaced = remove(key)
        let entry = Entry(key: key, container: container, cost: cost, expiration: expiration, wasRead: true)
        if free.isEmpty {
            free.append(entries.count)
            entries.append(nil)
        }
        let position = free.removeLast()
        entries[position] = entry
        positions[key] = position
        self.cost += cost
        append(position)
        defer { entries[position]?.wasRead = false }
        return trim(toCost: costLimit) + trim(toCount: countLimit) + (replaced.map { [$0] } ?? [])
    }

    /// Removes the image of a key.
    /// - Returns: The image.
    @discardableResult
    mutating func remove(_ key: ImageCacheKey) -> ImageContainer? {
        positions[key].flatMap { remove(at: $0) }
    }

    /// Removes images until they cost at most `limit`.
    /// - Returns: The removed images.
    mutating func trim(toCost limit: Int) -> [ImageContainer] {
        var removed: [ImageContainer] = []
        while cost > limit, let container = removeFirst() { removed.append(container) }
        return removed
    }

    /// Removes images until there are at most `limit`.
    /// - Returns: The removed images.
    mutating func trim(toCount limit: Int) -> [ImageContainer] {
        var removed: [ImageContainer] = []
        while count > limit, let container = removeFirst() { removed.append(container) }
        return removed
    }

    /// Removes the first unmarked image; marked ones before it lose their mark and become the last.
    private mutating func removeFirst() -> ImageContainer? {
        while let first = head, entries[first]?.wasRead == true {
            entries[first]?.wasRead = false
            detach(first)
            append(first)
        }
        return head.flatMap { remove(at: $0) }
    }

    @discardableResult
    private mutating func remove(at position: Int) -> ImageContainer? {
        guard let entry = entries[position] else { return nil }
        detach(position)
        entries[position] = nil
        free.append(position)
        positions[entry.key] = nil
        cost -= entry.cost
        return entry.container
    }

    private mutating func append(_ position: Int) {
        entries[position]?.previous = tail
        entries[position]?.next = nil
        if let tail { entries[tail]?.next = position } else { head = position }
        tail = position
    }

    private mutating func detach(_ position: Int) {
        let (previous, next) = (entries[position]?.previous, entries[position]?.next)
        if let previous { entries[previous]?.next = next } else { head = next }
        if let next { entries[next]?.previous = previous } else { tail = previous }
    }
}
