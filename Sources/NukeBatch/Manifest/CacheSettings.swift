/// Where originals are kept, how many, and how they are used.
public struct CacheSettings: Sendable, Equatable {
    /// The folder, absolute; shared by all jobs that name none of their own.
    public var directory: String
    /// Bytes of originals, above which the least recently used ones go.
    public var sizeLimit = 10_000_000_000
    /// What is kept.
    public var policy = Policy.storeOriginalData
    /// When the origin of a cached original is asked whether it has another now.
    public var revalidate = Revalidation.never
    /// How long an original is used without asking its origin; nil: for as long as it is there.
    public var maxAge: Duration?
    /// Whether an original that cannot be asked for again is used although it is stale.
    public var staleIfError = true
    /// Whether originals are kept compressed where that makes them smaller.
    public var compression = false

    /// What a cache keeps.
    public enum Policy: String, Sendable, CaseIterable {
        /// The bytes of every original that was loaded.
        case storeOriginalData
        /// Nothing.
        case none
    }

    /// When a cached original is asked for again.
    public enum Revalidation: String, Sendable, CaseIterable {
        /// Not before `maxAge`, whatever the origin says: the aggressive cache.
        case never
        /// When it is no longer fresh by what the origin said (RFC 9111).
        case stale
        /// In each run.
        case always
    }

    /// Whether a run has to look at originals that it has used before.
    var asksAgain: Bool {
        revalidate != .never || maxAge != nil
    }

    /// `nuke-batch/originals` in the user's cache folder (XDG Base Directory Specification).
    static func defaultDirectory(environment: [String: String]) -> String {
        // The XDG specification ignores relative paths.
        if let caches = environment["XDG_CACHE_HOME"], caches.hasPrefix("/") {
            return caches + "/nuke-batch/originals"
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        return home + "/.cache/nuke-batch/originals"
    }

    init(_ node: ManifestNode?, environment: [String: String]) {
        directory = Self.defaultDirectory(environment: environment)
        guard let node, let fields = node.fields(.cache) else { return }
        if let written = fields["directory"]?.expandedString() {
            directory = FilePath.absolute(written, in: node.reading.folder)
        }
        sizeLimit = fields["sizeLimit"]?.size() ?? sizeLimit
        policy = fields["policy"]?.choice(Policy.self) ?? policy
        staleIfError = fields["staleIfError"]?.bool() ?? staleIfError
        revalidate = fields["revalidate"]?.choice(Revalidation.self) ?? revalidate
        maxAge = fields["maxAge"]?.duration()
        compression = fields["compression"]?.bool() ?? compression
    }
}
