/// The keys of what was stored lately, so that a lookup that was too early for one of them is repeated.
package struct RecentStores<Key: Hashable & Sendable>: Sendable {
    /// More than are stored while one lookup lasts.
    private static var capacity: Int { 64 }

    /// The number of stores so far; a lookup in the cache remembers it.
    package private(set) var count = 0
    private var last: [(key: Key, number: Int)] = []

    package init() {}

    /// Remembers for a while that the bytes of `key` were stored.
    package mutating func note(_ key: Key) {
        count += 1
        if last.count == Self.capacity { last.removeFirst() }
        last.append((key, count))
    }

    /// True if the bytes of `key` were stored after the lookup that found the count at `look`, which may have missed them.
    package func contains(_ key: Key, since look: Int) -> Bool {
        last.reversed().prefix { $0.number > look }.contains { $0.key == key }
    }
}
