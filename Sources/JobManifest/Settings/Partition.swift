import Files

/// One of several equal parts of a job's items, each with its own state, so that machines can share the work.
public struct Partition: Sendable, Hashable, CustomStringConvertible {
    /// The number of the part, from 1.
    public let number: Int
    /// The number of parts.
    public let count: Int

    /// The partition as it is given, such as `3/8`.
    public var description: String { "\(number)/\(count)" }

    /// Reads `3/8`: the third of eight; nil for anything else.
    public init?(_ text: String) {
        let parts = text.parts(at: "/").map { ManifestValue.count($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1,
            (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }
}
