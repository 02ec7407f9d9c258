/// The keys of `limits`.
enum LimitKeys {
    static let processing = Key(
        "processing",
        .integer(1...1024),
        default: .described("the number of cores"),
        summary: "The maximum number of images processed at once.",
        example: 2,
        synonyms: ["threads", "cores", "workers", "concurrency", "cpus"]
    )
    static let memory = Key(
        "memory",
        .size,
        default: "1GiB",
        summary:
            "Memory that originals, pixels and outputs share; an image that needs more by itself fails with the error `limits`.",
        example: "2GiB",
        synonyms: ["ram", "maxMemory"]
    )
    static let maxPixels = Key(
        "maxPixels",
        .pixels,
        default: "100MP",
        summary: "The maximum number of pixels of an original and of every intermediate image.",
        example: "50MP",
        synonyms: ["pixels", "megapixels"]
    )
    static let maxDimension = Key(
        "maxDimension",
        .integer(1...LimitSettings.largestDimension),
        default: .integer(LimitSettings.largestDimension),
        summary: "The maximum length of a side of originals and outputs, in pixels.",
        example: 10_000,
        synonyms: ["maxWidth", "maxHeight", "maxSide", "dimension"]
    )
    static let maxFrames = Key(
        "maxFrames",
        .only(NotSupportedYet.maxFrames, of: 1...100_000),
        default: .integer(NotSupportedYet.maxFrames),
        summary: "The number of frames read from an animation; this release reads only the first.",
        example: 1,
        synonyms: ["frames"]
    )
    static let maxDuration = Key(
        "maxDuration",
        .duration,
        summary: "The time after which a run takes no new items and exits; the next run continues.",
        example: "2h",
        synonyms: ["timeout", "duration", "maxTime", "deadline"]
    )
}

extension ManifestSection {
    static let limits = ManifestSection(
        "limits",
        title: "limits",
        about: [
            "When a limit changes, the next run retries the items that failed because of it; nothing else is remade."
        ],
        example: .setting(
            #""limits": {"processing": 2, "memory": "2GiB", "maxPixels": "50MP", "maxDuration": "2h"}"#
        ),
        keys: [
            LimitKeys.processing, LimitKeys.memory, LimitKeys.maxPixels, LimitKeys.maxDimension,
            LimitKeys.maxFrames, LimitKeys.maxDuration,
        ]
    )
}
