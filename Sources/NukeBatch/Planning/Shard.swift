import JobStorage

/// One of several equal parts of a job's items, each with a state of its own, so that machines can share the work.
public struct Shard: Sendable, Hashable {
    /// Which part, from 1.
    public let number: Int
    /// How many parts there are.
    public let count: Int

    /// Reads `3/8`: the third of eight; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1,
            (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }

    /// Whether an item belongs to the part: by the hash that tells items apart, so that equal rows are in the same part.
    func contains(_ item: NewItem) -> Bool {
        UInt64(bitPattern: item.key) % UInt64(count) == UInt64(number - 1)
    }
}
