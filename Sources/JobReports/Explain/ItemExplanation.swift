public import JobPlanning
public import JobManifest

/// The life of one item: what `explain` tells, and a line of `explain --json`.
///
/// All keys are always present, null if unknown (`docs/command-line.md`).
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
        /// True if it is cached; null without a cache.
        @Nullable var isCached: Bool?
        @Nullable var bytes: Int?
        @Nullable var stored: String?
        @Nullable var contentType: String?
        @Nullable var etag: String?
        @Nullable var lastModified: String?
        /// The state of the cache for this original, one sentence.
        let decision: String
    }

    /// An output of it.
    public struct Output: Sendable, Encodable {
        let name: String
        /// True if the current manifest asks for this output with this recipe.
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
        /// The time at which it was made, skipped or failed.
        @Nullable var time: String?
        /// The reason for its state, one sentence.
        let why: String
    }

    /// As in `items --json`.
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
    public let original: Original
    /// The last 20 at most, the first of them first.
    public let attempts: [Attempt]
    /// Its requests in the network log, in the order of their ends.
    public let requests: [Request]
    /// Those that the manifest asks for, then those of earlier manifests.
    public let outputs: [Output]
    /// Files that outputs of it had under former paths.
    public let leftovers: [String]
    /// The next steps, a sentence or a command each; empty if there is nothing to do.
    public let next: [String]
}
