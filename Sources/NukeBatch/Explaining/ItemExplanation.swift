/// The life of one item: what `explain` tells, and a line of `explain --json`.
///
/// All keys are always there, null where nothing is known (command-line contract).
public struct ItemExplanation: Sendable, Encodable {
    /// An attempt at it.
    public struct Attempt: Sendable, Encodable {
        let number: Int
        /// Each `retry` begins another set of attempts.
        let generation: Int
        let run: Int
        let started: String
        let milliseconds: Int
        let outcome: String
        @Nullable var error: String?
        /// The HTTP status; null where the original came from a cache or a file.
        @Nullable var status: Int?
        /// Of the original.
        @Nullable var bytes: Int?
        @Nullable var detail: String?
    }

    /// A request for its original, or a redirect of one.
    public struct Request: Sendable, Encodable {
        let request: RequestListing
        /// Fields as they were sent and answered, without secrets.
        let requestHeaders, responseHeaders: [String]
    }

    /// Its original, and what the cache has of it now.
    public struct Original: Sendable, Encodable {
        /// `network`, or `cache or file`: where the last attempt had it from.
        @Nullable var source: String?
        @Nullable var sha256: String?
        @Nullable var cacheKey: String?
        /// Whether the cache has it; null where there is no cache.
        @Nullable var isCached: Bool?
        @Nullable var bytes: Int?
        @Nullable var stored: String?
        @Nullable var contentType: String?
        @Nullable var etag: String?
        @Nullable var lastModified: String?
        /// Where the cache stands, or why there is nothing in it, in a sentence.
        let decision: String
    }

    /// An output of it.
    public struct Output: Sendable, Encodable {
        let name: String
        /// Whether the manifest asks for just this.
        let isWanted: Bool
        /// `done`, `skipped` or `failed`; null where nothing was made of it yet.
        @Nullable var state: String?
        /// Relative to the destination.
        @Nullable var path: String?
        @Nullable var bytes: Int?
        @Nullable var width: Int?
        @Nullable var height: Int?
        @Nullable var sha256: String?
        @Nullable var encoder: String?
        @Nullable var spec: String?
        /// When it was made, skipped or failed.
        @Nullable var time: String?
        /// Why it is as it is, in a sentence.
        let why: String
    }

    /// As in `items --json`.
    public let item: ItemListing
    /// Where it is listed, such as `urls.txt:17`.
    public let location: String
    /// Whether the manifest that was planned last lists it.
    public let isListed: Bool
    /// When it changed last.
    public let updated: String
    /// When it is tried again.
    @Nullable public internal(set) var due: String?
    /// Why it stands where it does, in a sentence.
    public let why: String
    /// Its original.
    public let original: Original
    /// The last 20 at most, the first of them first.
    public let attempts: [Attempt]
    /// What the network log has of it, in the order of their ends.
    public let requests: [Request]
    /// Those that the manifest asks for, then those of earlier manifests.
    public let outputs: [Output]
    /// Files that outputs of it had under former paths.
    public let leftovers: [String]
    /// What to do now, a sentence or a command each; empty where there is nothing to do.
    public let next: [String]
}
