/// Images in the order in which they leave: first in, first out, but one that was read since gets a second chance.
///
/// Corbató's clock (MIT Project MAC, 1968): reading only marks, which is cheaper than keeping the order of use, and keeps nearly
/// the same images. The entries are a list through the indices of an array, so that nothing is searched or moved.
struct ClockList {
    private struct Entry {
        let key: ImageCacheKey
        let container: ImageContainer
        let cost: Int
        let expiration: Double?
        var wasRead: Bool
        var previous, next: Int?
    }

    /// What all entries cost.
    private(set) var cost = 0
    /// How many there are.
    var count: Int { places.count }

    private var entries: [Entry?] = []
    private var free: [Int] = []
    private var places: [ImageCacheKey: Int] = [:]
    private var head, tail: Int?

    /// The image of a key, which is marked; one that has expired is removed.
    mutating func read(_ key: ImageCacheKey, at now: Double) -> ImageContainer? {
        guard let place = places[key], let entry = entries[place] else { return nil }
        if let expiration = entry.expiration, expiration <= now {
            remove(at: place)
            return nil
        }
        entries[place]?.wasRead = true
        return entry.container
    }

    /// Adds an image as the last to leave, in place of what the key had, and removes what is then too much.
    ///
    /// The new one is not among that as long as there are others, though all of them were read and it was not.
    /// - Returns: the images removed.
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
        let place = free.removeLast()
        entries[place] = entry
        places[key] = place
        self.cost += cost
        append(place)
        defer { entries[place]?.wasRead = false }
        return trim(toCost: costLimit) + trim(toCount: countLimit) + (replaced.map { [$0] } ?? [])
    }

    /// Removes the image of a key.
    /// - Returns: the image.
    @discardableResult
    mutating func remove(_ key: ImageCacheKey) -> ImageContainer? {
        places[key].flatMap { remove(at: $0) }
    }

    /// Removes images until they cost at most `limit`.
    /// - Returns: those removed.
    mutating func trim(toCost limit: Int) -> [ImageContainer] {
        var removed: [ImageContainer] = []
        while cost > limit, let container = removeFirst() { removed.append(container) }
        return removed
    }

    /// Removes images until there are at most `limit`.
    /// - Returns: those removed.
    mutating func trim(toCount limit: Int) -> [ImageContainer] {
        var removed: [ImageContainer] = []
        while count > limit, let container = removeFirst() { removed.append(container) }
        return removed
    }

    /// Removes the first that was not read; those before it that were lose their mark and become the last.
    private mutating func removeFirst() -> ImageContainer? {
        while let first = head, entries[first]?.wasRead == true {
            entries[first]?.wasRead = false
            detach(first)
            append(first)
        }
        return head.flatMap { remove(at: $0) }
    }

    @discardableResult
    private mutating func remove(at place: Int) -> ImageContainer? {
        guard let entry = entries[place] else { return nil }
        detach(place)
        entries[place] = nil
        free.append(place)
        places[entry.key] = nil
        cost -= entry.cost
        return entry.container
    }

    private mutating func append(_ place: Int) {
        entries[place]?.previous = tail
        entries[place]?.next = nil
        if let tail { entries[tail]?.next = place } else { head = place }
        tail = place
    }

    private mutating func detach(_ place: Int) {
        let (previous, next) = (entries[place]?.previous, entries[place]?.next)
        if let previous { entries[previous]?.next = next } else { head = next }
        if let next { entries[next]?.previous = previous } else { tail = previous }
    }
}
