public import Imaging

/// Conditions on the original, and the one that `widths` adds; if one is not met, the output is skipped.
public struct OutputCondition: Sendable, Hashable {
    /// The least sides of the original in pixels, upright.
    public var minWidth, minHeight: Int?
    /// The longer side divided by the shorter one, at most.
    public var maxAspect: Double?
    /// The formats of the original; empty for all.
    public var types: Set<ImageFormat> = []
    /// The image before the output's last processor must be wider than this: the next smaller of the output's `widths`.
    public var widerThan: Int?

    /// Makes a condition that every item meets.
    public init() {}

    /// The conditions in a recipe.
    var canonical: CanonicalJSON {
        // `widerThan` was added later: without it, the text is what it was.
        guard let widerThan, case .object(let members) = json else { return json }
        return .object(members.merging(["widerThan": .integer(widerThan)]) { $1 })
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
        KeyName(
            "types",
            "The formats of originals: `jpeg`, `png`, `webp`, `gif`, `avif`, `heic`, `tiff`, `bmp`, `ico`; an empty array means all."
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
