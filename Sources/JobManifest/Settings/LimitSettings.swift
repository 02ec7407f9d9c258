import Foundation
package import Imaging

/// The limits of a run and of an image.
public struct LimitSettings: ManifestSettings, Sendable, Equatable {
    /// The maximum number of images processed at once; default: the number of cores.
    public var processing = max(1, ProcessInfo.processInfo.activeProcessorCount)
    /// Bytes of decoded pixels in flight.
    public var memory = 1 << 30
    /// Pixels of an original, and of every step on the way to an output.
    public var maxPixels = 100_000_000
    /// Pixels of a side, of originals and of outputs.
    public var maxDimension = Self.largestDimension
    /// The time after which a run takes no new items; nil for no limit.
    public var maxDuration: Duration?

    /// The largest side that JPEG's 16 bits and libjpeg allow.
    public static let largestDimension = ImageLimits.largestDimension

    /// Creates the defaults.
    public init() {}
}

extension LimitSettings: ManifestObject {
    static let standard = LimitSettings()
    static let section = ManifestSection(
        "limits",
        about: [
            "When a limit changes, the next run retries the items that failed because of it; nothing else is remade."
        ],
        example: .setting(
            #""limits": {"processing": 2, "memory": "2GiB", "maxPixels": "50MP", "maxDuration": "2h"}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("processing", "The maximum number of images processed at once.")
            .synonyms(["threads", "cores", "workers", "concurrency", "cpus"])
            .sets(
                \.processing,
                as: .integer(1...1024),
                default: .described("the number of cores"),
                example: 2
            ),
        KeyName(
            "memory",
            "Memory that originals, pixels and outputs share; an image that needs more by itself fails with the error `limits`."
        )
        .synonyms(["ram", "maxMemory"])
        .sets(\.memory, as: .size, example: "2GiB"),
        KeyName("maxPixels", "The maximum number of pixels of an original and of every intermediate image.")
            .synonyms(["pixels", "megapixels"])
            .sets(\.maxPixels, as: .pixels, example: "50MP"),
        KeyName("maxDimension", "The maximum length of a side of originals and outputs, in pixels.")
            .synonyms(["maxWidth", "maxHeight", "maxSide", "dimension"])
            .sets(\.maxDimension, as: .integer(1...largestDimension), example: 10_000),
        KeyName(
            "maxDuration",
            "The time after which a run takes no new items and exits; the next run continues."
        )
        .synonyms(["timeout", "duration", "maxTime", "deadline"])
        .sets(\.maxDuration, as: .duration, example: "2h"),
        // Manifests of 0.1.0 may have it.
        KeyName("maxFrames", "The number of frames read from an animation.")
            .hidden
            .reads("`1`", schema: ["const": 1], default: 1, example: 1) { node, _ in
                if let frames = node.integer(1...100_000), frames != 1 {
                    node.report("only the first frame of an animation is read, not \(frames): remove it")
                }
            } write: { _ in
                nil
            },
    ]
}

extension ImageLimits {
    /// The limits of pixels and sides that the manifest sets.
    package init(_ settings: LimitSettings) {
        self.init()
        maxPixels = settings.maxPixels
        maxDimension = settings.maxDimension
    }
}
