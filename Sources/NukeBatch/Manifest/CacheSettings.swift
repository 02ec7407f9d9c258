/// Where originals are kept, how many, and how they are used.
public struct CacheSettings: Sendable, Equatable {
    /// The folder, absolute; shared by all jobs that name none of their own.
    public var directory: String
    /// Bytes of originals, above which the least recently used ones go.
    public var sizeLimit = 10_000_000_000
    /// What is kept.
    public var policy = Policy.storeOriginalData
    /// Whether an original that cannot be asked for again is used although it is stale.
    public var staleIfError = true

    /// What a cache keeps.
    public enum Policy: String, Sendable, CaseIterable {
        /// The bytes of every original that was loaded.
        case storeOriginalData
        /// Nothing.
        case none
    }

    private enum Revalidation: String, CaseIterable {
        case never
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

    init(_ node: ManifestNode?, folder: String, environment: [String: String]) {
        directory = Self.defaultDirectory(environment: environment)
        guard let fields = node?.fields(.cache) else { return }
        if let written = fields["directory"]?.expandedString() {
            directory = FilePath.absolute(written, in: folder)
        }
        sizeLimit = fields["sizeLimit"]?.size() ?? sizeLimit
        policy = fields["policy"]?.choice(Policy.self) ?? policy
        staleIfError = fields["staleIfError"]?.bool() ?? staleIfError
        _ = fields["revalidate"]?.choice(Revalidation.self, later: NotSupportedYet.revalidations)
        if let compression = fields["compression"], compression.bool() ?? false != NotSupportedYet.compression
        {
            compression.notSupported("compression of originals")
        }
    }
}
