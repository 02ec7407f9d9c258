import Foundation

/// The settings of the cache of originals.
public struct CacheSettings: ManifestSettings, Sendable, Equatable {
    /// The folder, absolute; shared by all jobs that name none of their own.
    public var directory: String
    /// Bytes of originals, above which the least recently used ones go.
    public var sizeLimit = 10_000_000_000
    /// The originals to keep.
    public var policy = Policy.storeOriginalData
    /// The time at which a cached original is revalidated.
    public var revalidate = Revalidation.never
    /// The age at which a cached original is revalidated; nil for no limit.
    public var maxAge: Duration?
    /// True to use a stale original if its origin cannot be reached.
    public var staleIfError = true
    /// The compression of originals, which are smaller then.
    public var compression = Compression.none

    /// A choice of originals to keep.
    public enum Policy: String, Sendable, CaseIterable {
        /// The bytes of every original that was loaded.
        case storeOriginalData
        /// Nothing.
        case none
    }

    /// A policy of revalidation.
    public enum Revalidation: String, Sendable, CaseIterable {
        /// Revalidates only at `maxAge`, regardless of HTTP freshness.
        case never
        /// Honours HTTP freshness (RFC 9111).
        case stale
        /// Revalidates in each run.
        case always
    }

    /// True if a run has to look at originals that it has used before.
    package var asksAgain: Bool { revalidate != .never || maxAge != nil }

    /// `nuke-batch/originals` in the user's cache folder (XDG Base Directory Specification).
    ///
    /// Without `HOME`, as in a service of systemd's, it is below the home folder of the user's account: in a folder such as `/tmp`,
    /// others could put originals of theirs into it.
    package static func defaultDirectory(environment: [String: String]) -> String {
        // The XDG specification ignores relative paths.
        if let caches = environment["XDG_CACHE_HOME"], caches.utf8.first == UInt8(ascii: "/") {
            return caches + "/nuke-batch/originals"
        }
        let home = environment["HOME"].flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        return (home ?? NSHomeDirectoryForUser(NSUserName()) ?? "/nonexistent")
            + "/.cache/nuke-batch/originals"
    }

    /// Creates the defaults: the folder is in the user's cache folder.
    public init() {
        directory = Self.defaultDirectory(environment: ProcessInfo.processInfo.environment)
    }

    init(_ node: ManifestNode?, environment: [String: String]) {
        directory = Self.defaultDirectory(environment: environment)
        if let fields = node?.fields(Self.section) { read(fields) }
    }
}

extension CacheSettings: ManifestObject {
    static let standard = CacheSettings()
    static let section = ManifestSection(
        "cache",
        about: [
            "nuke-batch keeps every original that it downloads. Originals that a run still needs are pinned; if these alone exceed "
                + "`sizeLimit`, the run stops with exit code 4."
        ],
        example: .setting(
            #""cache": {"directory": "cache", "sizeLimit": "50GB", "revalidate": "stale", "maxAge": "7d"}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("directory", "The cache folder; jobs with the same folder share their originals.")
            .synonyms(["dir", "folder", "path"])
            .sets(
                \.directory,
                as: .path,
                default: .described("`nuke-batch/originals` in the user's cache folder"),
                example: "/var/cache/nuke-batch"
            ),
        KeyName("sizeLimit", "The size above which the least recently used originals are evicted.")
            .synonyms(["size", "maxSize", "limit", "capacity"])
            .sets(\.sizeLimit, as: .size, example: "50GB"),
        KeyName("policy", "`none` keeps no originals after a run.")
            .synonyms(["enabled", "mode"])
            .sets(
                \.policy,
                as: .choice(Policy.self, synonyms: ["off": .none, "all": .storeOriginalData]),
                example: "none"
            ),
        KeyName(
            "maxAge",
            "The age at which a cached original is revalidated; without it, only `revalidate` decides."
        )
        .synonyms(["ttl", "expires", "expiry", "age"])
        .sets(\.maxAge, as: .duration, example: "7d"),
        KeyName(
            "revalidate",
            "`never` uses cached originals as they are, `stale` honours HTTP freshness (RFC 9111), `always` revalidates in every run."
        )
        .synonyms(["refresh", "validate", "recheck"])
        .sets(\.revalidate, as: .choice(Revalidation.self), example: "stale"),
        KeyName("staleIfError", "Uses a stale original if its origin cannot be reached.")
            .sets(\.staleIfError, as: .bool, example: false),
        KeyName(
            "compression",
            "Compresses cached originals if that makes them smaller. With `jxl`, JPEGs are kept as JPEG XL, from which their exact bytes "
                + "are had back: a fifth smaller, for 0.3 seconds of a processor per megabyte when they are stored, and 0.1 when they "
                + "are used."
        )
        .synonyms(["compress", "gzip"])
        .sets(\.compression, as: .cacheCompression, example: "jxl"),
    ]
}
