/// An item that the run holds until it records the outcome.
public struct ClaimedItem: Sendable {
    /// The row's ID.
    public let itemID: Int64
    /// The position in the manifest, over all sources.
    public let ordinal: Int
    /// The URL as given.
    public let url: String
    /// The item's own headers as written, as JSON.
    public let headersJSON: String?
    /// The ID that the manifest gives it.
    public let id: String?
    /// The host, for `claim(limit:perHost:room:now:)`.
    public let hostID: Int64
    /// The manifest's source that lists it, from 0.
    public let source: Int
    /// The priority, from 0 (very low) to 4 (very high).
    public let priority: Int
    /// Columns and variables for its paths, as JSON.
    public let varsJSON: String?
    /// The list and line that name it, for messages.
    public let location: String
    /// The text that changes when the original does.
    public let validator: String?
    /// The number of times that it got a new set of attempts.
    public let generation: Int
    /// The attempts of this generation, including the present one.
    public let attempts: Int
    /// The number of times that the process crashed while it worked on the item.
    public let crashes: Int
    /// The key of its original in the cache, if it was ever loaded.
    public let cacheKey: String?
    /// SHA-256 of its original in hexadecimal, if it was ever loaded; `AdoptedItem.unknownOriginal` if it was not, and outputs
    /// were adopted.
    public let originalSHA256: String?
    /// Facts about that original, as a JSON object.
    public let facts: String?
    /// The reason of its last new set of attempts; nil in the first one.
    public let requeued: RequeueReason?
    /// True if it had failed before it got its last new set of attempts.
    public let hadFailed: Bool
    /// Its outputs on record, including those that the manifest no longer asks for.
    public package(set) var outputs: [OutputRecord] = []
    /// Its outputs that are not made, because an earlier row has their path.
    public internal(set) var collisions: [Collision] = []
    /// The earlier item that has the same original; nil if none is known.
    public internal(set) var twin: Twin?

    /// An output that is not made.
    public struct Collision: Hashable, Sendable {
        /// The name of the output.
        public let output: String
        /// The path, relative to the destination.
        public let path: String
        /// The list and line of the row that has the path.
        public let owner: String
        /// True if the output is skipped, false if it fails.
        public let isSkipped: Bool
    }
}
