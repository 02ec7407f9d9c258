public import JobPlanning
public import JobManifest

/// The explanation of one item, as `explain` prints it: a line of `explain --json`.
///
/// All keys are always present; unknown values are null (`docs/command-line.md`).
public struct ItemExplanation: Sendable, Encodable {
    /// An attempt at the item.
    public struct Attempt: Sendable, Encodable {
        let number: Int
        /// The set of attempts; each `retry` begins another one.
        let generation: Int
        let run: Int
        let started: String
        let milliseconds: Int
        let outcome: String
        @Nullable var error: String?
        /// The HTTP status; null if the original came from a cache or a file.
        @Nullable var status: Int?
        /// The size of the original, in bytes.
        @Nullable var bytes: Int?
        @Nullable var detail: String?
    }

    /// A request for the original, or a redirect of one.
    public struct Request: Sendable, Encodable {
        let request: RequestListing
        /// The header fields of the request and the response, without secrets.
        let requestHeaders, responseHeaders: [String]
    }

    /// The original, and its current entry in the cache.
    public struct Original: Sendable, Encodable {
        /// The source of the last attempt's original: `network`, `cache` or `file`; `edge` if only an edge loaded it.
        @Nullable var source: String?
        @Nullable var sha256: String?
        @Nullable var cacheKey: String?
        /// True if it is cached; null without a cache.
        @Nullable var isCached: Bool?
        @Nullable var bytes: Int?
        @Nullable var stored: String?
        @Nullable var contentType: String?
        @Nullable var etag: String?
        @Nullable var lastModified: String?
        /// The state of the cache for this original, one sentence; that of the edge for an item that is asked for by HEAD.
        let decision: String
        /// `hit`, `miss` or `unknown`, by the last response of the edge; null for an item that is not asked for by HEAD.
        @Nullable var edge: String?
        /// The URL by which anybody can load it from its bucket for an hour; null unless asked for.
        @Nullable var link: String?
    }

    /// An output of the item.
    public struct Output: Sendable, Encodable {
        let name: String
        /// True if the current manifest asks for this output with this recipe.
        let isWanted: Bool
        /// `done`, `skipped` or `failed`; null if it was not made yet.
        @Nullable var state: String?
        /// The path relative to the destination.
        @Nullable var path: String?
        @Nullable var bytes: Int?
        @Nullable var width: Int?
        @Nullable var height: Int?
        @Nullable var sha256: String?
        /// The file format, such as `webp`.
        @Nullable var format: String?
        @Nullable var encoder: String?
        /// The quality in the format's own numbers.
        @Nullable var quality: Int?
        /// The score of SSIMULACRA2 of an output with a floor.
        @Nullable var ssimulacra2: Double?
        /// The reason why the score is below the floor: `quality` or `maxBytes`.
        @Nullable var shortfall: String?
        @Nullable var spec: String?
        /// The time at which it was made, skipped or failed.
        @Nullable var time: String?
        /// The reason for its state, one sentence.
        let why: String
        /// The URL by which anybody can load it, or its shard, from its bucket for an hour; null unless asked for.
        @Nullable var link: String?
    }

    /// The item as in `items --json`.
    public let item: ItemListing
    /// The row that lists it, such as `urls.txt:17`.
    public let location: String
    /// True if the manifest, as last planned, lists it.
    public let isListed: Bool
    /// The time of its last change.
    public let updated: String
    /// The time of the next attempt.
    @Nullable public package(set) var due: String?
    /// The reason for its state, one sentence.
    public let why: String
    /// Its original.
    public package(set) var original: Original
    /// The last attempts, at most 20, oldest first.
    public let attempts: [Attempt]
    /// The requests in the network log, in the order in which they ended.
    public let requests: [Request]
    /// The outputs that the manifest asks for, then those of earlier manifests.
    public package(set) var outputs: [Output]
    /// Files left at former paths of its outputs.
    public let leftovers: [String]
    /// The next steps, a sentence or a command each; empty if there is nothing to do.
    public let next: [String]
    /// The reason why the outputs were not looked at, one sentence; null if they were.
    @Nullable public package(set) var note: String?
}
