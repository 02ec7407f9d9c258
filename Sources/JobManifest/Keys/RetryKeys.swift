/// The keys of `retry`.
enum RetryKeys {
    static let attempts = Key(
        "attempts",
        .integer(1...100),
        default: 4,
        summary: "Attempts to load an item, the first one included.",
        example: 6,
        synonyms: ["retries", "count", "maxAttempts", "tries"]
    )
    static let backoff = Key(
        "backoff",
        .durations,
        default: "1s..60s",
        summary: "The shortest and the longest wait between attempts: exponential backoff with full jitter.",
        example: "500ms..30s",
        synonyms: ["delay", "wait"]
    )
    static let statuses = Key(
        "statuses",
        .list(of: .integer(400...599), "array of integers, 400 to 599"),
        default: [408, 425, 429, 500, 502, 503, 504],
        summary: "The HTTP statuses that are retried.",
        example: [429, 503],
        synonyms: ["status", "codes", "statusCodes", "on"]
    )
    static let recheck = Key(
        "recheck",
        .recheck,
        default: "1d",
        summary:
            "The time after which a run requests an item again that failed by an answer that may change, such as HTTP 404 or data that is no image; it counts from the start of the run that asked. `\"never\"` leaves it to `nuke-batch retry`.",
        example: "6h",
        synonyms: ["recheckAfter", "retryAfter", "again"]
    )
}

extension ManifestSection {
    static let retry = ManifestSection(
        "retry",
        title: "retry",
        about: [
            "Transient errors such as timeouts and resets are retried within a run, and again by the next run. An image of an "
                + "unknown type or with damaged data is not retried until its bytes change. An item that failed because of a "
                + "setting, such as `limits.maxPixels` or `network.allow`, is retried when that setting changes."
        ],
        example: .setting(#""retry": {"attempts": 6, "backoff": "500ms..30s", "statuses": [429, 503]}"#),
        keys: [RetryKeys.attempts, RetryKeys.backoff, RetryKeys.statuses, RetryKeys.recheck]
    )
}
