public import Imaging

/// Conditions on the original, and the one that `widths` adds; if one is not met, the output is skipped.
public struct OutputCondition: ManifestSettings, Sendable, Hashable {
    /// The least sides of the original in pixels, upright.
    public var minWidth, minHeight: Int?
    /// The longer side divided by the shorter one, at most.
    public var maxAspect: Double?
    /// The least size of the original in bytes.
    public var minBytes: Int?
    /// The formats of the original; empty for all.
    public var types: Set<ImageFormat> = []
    /// The image before the output's last processor must be wider than this: the next smaller of the output's `widths`.
    public var widerThan: Int?

    /// Makes a condition that every item meets.
    public init() {}

    /// Adds the conditions of `other`: both must be met.
    mutating func add(_ other: OutputCondition) {
        minWidth = Self.stricter(minWidth, other.minWidth, by: max)
        minHeight = Self.stricter(minHeight, other.minHeight, by: max)
        maxAspect = Self.stricter(maxAspect, other.maxAspect, by: min)
        minBytes = Self.stricter(minBytes, other.minBytes, by: max)
    }

    private static func stricter<Value>(_ first: Value?, _ second: Value?, by choose: (Value, Value) -> Value)
        -> Value?
    {
        guard let first, let second else { return first ?? second }
        return choose(first, second)
    }

    /// The conditions in a recipe.
    var canonical: CanonicalJSON {
        // These were added later: without them, the text is what it was.
        guard case .object(var members) = json else { return json }
        members["minBytes"] = minBytes.map { .integer($0) }
        members["widerThan"] = widerThan.map { .integer($0) }
        return .object(members)
    }
}

extension OutputCondition: ManifestObject {
    static let standard = OutputCondition()
    static let section = ManifestSection(
        "condition",
        title: "Conditions",
        example: .output(
            """
            {
              "name": "large",
              "processors": [{"resize": {"width": 1280}}],
              "format": "jpeg",
              "when": {"minWidth": 1280, "types": ["jpeg", "png"]}
            }
            """
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("minWidth", "The minimum width of the original in pixels, after EXIF orientation.")
            .synonyms(["width"])
            .sets(\.minWidth, as: .integer(0...1_000_000), example: 640),
        KeyName("minHeight", "The minimum height of the original in pixels, after EXIF orientation.")
            .synonyms(["height"])
            .sets(\.minHeight, as: .integer(0...1_000_000), example: 480),
        KeyName("maxAspect", "The maximum ratio of the longer side to the shorter one.")
            .synonyms(["aspect", "aspectRatio", "ratio"])
            .sets(\.maxAspect, as: .number(1...1_000_000), example: 4),
        KeyName("minBytes", "The minimum size of the original's file.")
            .synonyms(["minSize", "minFileSize", "bytes"])
            .sets(\.minBytes, as: .size, example: "5kB"),
        KeyName(
            "types",
            "The formats of originals: `jpeg`, `png`, `webp`, `gif`, `avif`, `jxl`, `heic`, `tiff`, `bmp`, `ico`, `svg`; an empty array means all."
        )
        .synonyms(["formats", "type", "format"])
        .sets(
            \.types,
            as: .set(
                of: .choice(ImageFormat.self, synonyms: ["jpg": .jpeg, "tif": .tiff, "heif": .heic]),
                "array of formats"
            ),
            example: ["jpeg", "png"]
        ),
    ]
}
