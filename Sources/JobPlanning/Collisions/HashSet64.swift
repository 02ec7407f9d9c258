/// A set of 64-bit hashes for many millions of them: 10 to 15 bytes each, in tables that grow one at a time.
public struct HashSet64: Sendable {
    /// The hashes in the set.
    public private(set) var count = 0
    /// The tables, by the top byte of the hash: growing one of 256 tables takes little additional memory.
    private var tables: [Table]

    /// An empty set.
    public init() {
        tables = Array(repeating: Table(), count: 256)
    }

    /// Adds a hash; false if it was already in the set.
    public mutating func insert(_ hash: UInt64) -> Bool {
        let spread = Self.spread(hash)
        let isNew = tables[Int(spread >> 56)].insert(spread)
        if isNew { count += 1 }
        return isNew
    }

    /// Returns true if the hash is in the set.
    public func contains(_ hash: UInt64) -> Bool {
        let spread = Self.spread(hash)
        return tables[Int(spread >> 56)].contains(spread)
    }

    /// Maps each number to a different one, and neighbours far apart, so that a weak hash costs no additional time.
    private static func spread(_ hash: UInt64) -> UInt64 {
        // 2^64 divided by the golden ratio, odd (Knuth, The Art of Computer Programming 3, 6.4).
        let product = hash &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product >> 32)
    }

    /// A table with open addressing and linear probing; 0 marks a free slot, so the hash 0 is stored separately.
    private struct Table {
        private var slots: [UInt64] = []
        private var count = 0
        private var hasZero = false

        mutating func insert(_ hash: UInt64) -> Bool {
            if hash == 0 {
                defer { hasZero = true }
                return !hasZero
            }
            if count * 8 >= slots.count * 7 { grow() }
            let slot = slot(of: hash)
            if slots[slot] == hash { return false }
            slots[slot] = hash
            count += 1
            return true
        }

        func contains(_ hash: UInt64) -> Bool {
            if hash == 0 { return hasZero }
            return !slots.isEmpty && slots[slot(of: hash)] == hash
        }

        /// Returns the slot of the hash, or the free slot for it; there is always a free one.
        private func slot(of hash: UInt64) -> Int {
            // The low 56 bits, spread over a number of slots that is not a power of two.
            var slot = Int((hash << 8).multipliedFullWidth(by: UInt64(slots.count)).high)
            while slots[slot] != 0, slots[slot] != hash {
                slot += 1
                if slot == slots.count { slot = 0 }
            }
            return slot
        }

        private mutating func grow() {
            let old = slots
            slots = [UInt64](repeating: 0, count: max(16, old.count + old.count / 2))
            for hash in old where hash != 0 { slots[slot(of: hash)] = hash }
        }
    }
}
