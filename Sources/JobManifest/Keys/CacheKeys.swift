/// The keys of `cache`.
enum CacheKeys {
    static let directory = Key(
        "directory",
        .expanded,
        default: .described("`nuke-batch/originals` in the user's cache folder"),
        summary: "The cache folder; jobs with the same folder share their originals.",
        example: "/var/cache/nuke-batch",
        synonyms: ["dir", "folder", "path"]
    )
    static let sizeLimit = Key(
        "sizeLimit",
        .size,
        default: "10GB",
        summary: "The size above which the least recently used originals are evicted.",
        example: "50GB",
        synonyms: ["size", "maxSize", "limit", "capacity"]
    )
    static let policy = Key(
        "policy",
        .choice(CacheSettings.Policy.self, synonyms: ["off": .none, "all": .storeOriginalData]),
        default: .word(CacheSettings.Policy.storeOriginalData),
        summary: "`none` keeps no originals after a run.",
        example: "none",
        synonyms: ["enabled", "mode"]
    )
    static let maxAge = Key(
        "maxAge",
        .duration,
        summary: "The age at which a cached original is revalidated; without it, only `revalidate` decides.",
        example: "7d",
        synonyms: ["ttl", "expires", "expiry", "age"]
    )
    static let revalidate = Key(
        "revalidate",
        .choice(CacheSettings.Revalidation.self),
        default: .word(CacheSettings.Revalidation.never),
        summary:
            "`never` uses cached originals as they are, `stale` honours HTTP freshness (RFC 9111), `always` revalidates in every run.",
        example: "stale",
        synonyms: ["refresh", "validate", "recheck"]
    )
    static let staleIfError = Key(
        "staleIfError",
        .bool,
        default: true,
        summary: "Uses a stale original if its origin cannot be reached.",
        example: false
    )
    static let compression = Key(
        "compression",
        .bool,
        default: false,
        summary: "Compresses cached originals if that makes them smaller.",
        example: true,
        synonyms: ["compress", "gzip"]
    )
}

extension ManifestSection {
    static let cache = ManifestSection(
        "cache",
        title: "cache",
        about: [
            "nuke-batch keeps every original that it downloads. Originals that a run still needs are pinned; if these alone exceed "
                + "`sizeLimit`, the run stops with exit code 4."
        ],
        example: .setting(
            #""cache": {"directory": "cache", "sizeLimit": "50GB", "revalidate": "stale", "maxAge": "7d"}"#
        ),
        keys: [
            CacheKeys.directory, CacheKeys.sizeLimit, CacheKeys.policy, CacheKeys.maxAge,
            CacheKeys.revalidate,
            CacheKeys.staleIfError, CacheKeys.compression,
        ]
    )
}
