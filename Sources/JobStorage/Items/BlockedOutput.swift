/// An output that a row does not get, because an earlier row has its path.
public struct BlockedOutput: Hashable, Sendable {
    /// The position of the row in the manifest.
    public var ordinal: Int
    /// The name of the output.
    public var output: String
    /// The path, relative to the destination.
    public var path: String
    /// The position of the row that has the path.
    public var owner: Int
    /// True if the output is skipped, false if it fails.
    public var isSkipped: Bool

    /// Describes an output that is not made.
    public init(ordinal: Int, output: String, path: String, owner: Int, isSkipped: Bool) {
        self.ordinal = ordinal
        self.output = output
        self.path = path
        self.owner = owner
        self.isSkipped = isSkipped
    }
}
