import Imaging

/// The settings of `crop`.
enum CropKeys {
    static let width = Key("width", .side, summary: "The width.", example: 320, synonyms: ["w", "size"])
    static let height = Key("height", .side, summary: "The height.", example: 320, synonyms: ["h"])
    static let gravity = Key(
        "gravity",
        .gravity(others: [ManifestNode.smart]),
        default: "center",
        summary: "The part to keep; `smart` is attention-based smart crop.",
        example: "smart",
        synonyms: ["position", "anchor", "strategy", "focus"]
    )
    static let rect = Key(
        "rect",
        .custom(
            "array `[x, y, width, height]`",
            schema: [
                "type": "array", "prefixItems": [offset, offset, ManifestSchema.side, ManifestSchema.side],
                "minItems": 4, "maxItems": 4,
            ]
        ),
        summary: "The part to keep, in pixels from the top left corner; excludes the other keys.",
        example: [0, 0, 640, 480],
        synonyms: ["area", "region", "box", "x", "y", "left", "top"]
    )

    private static let offset = ManifestSchema.integer(0...LimitSettings.largestDimension)
}

/// The settings of `pad`.
enum PadKeys {
    private static let standard = Pad()

    static let width = Key("width", .side, summary: "The minimum width.", example: 400, synonyms: ["w"])
    static let height = Key("height", .side, summary: "The minimum height.", example: 400, synonyms: ["h"])
    static let gravity = Key(
        "gravity",
        .gravity(),
        default: "center",
        summary: "The position of the image on the canvas.",
        example: "north",
        synonyms: ["position", "anchor"]
    )
    static let background = Key(
        "background",
        .color,
        default: .value(.string(standard.background.hexadecimal)),
        summary: "The colour of the canvas, which may be transparent.",
        example: "#00000000",
        synonyms: ["bg", "color", "colour", "backgroundColor"]
    )
}

/// The keys of a gravity that is a point.
enum GravityKeys {
    static let x = Key(
        "x",
        .number(0...1),
        default: .required,
        summary: "0 is left, 1 is right.",
        example: 0.5
    )
    static let y = Key(
        "y",
        .number(0...1),
        default: .required,
        summary: "0 is top, 1 is bottom.",
        example: 0.3
    )
}

extension KeyKind where Value == ManifestNode {
    /// A gravity, as a word or a point; `others` are words that may stand here too.
    static func gravity(others: [String] = []) -> Self {
        .custom(
            "gravity",
            schema: ManifestSchema.any(
                ManifestSchema.words(Gravity.named.keys + others),
                ManifestSchema.section(.gravity)
            )
        )
    }
}

extension ManifestSection {
    static let crop = ManifestSection(
        "crop",
        title: "crop",
        about: [
            "`crop` needs `width` and `height`, or `rect` alone. A side longer than the image's is clamped to it."
        ],
        example: .processor(#"{"crop": {"width": 320, "height": 240, "gravity": "smart"}}"#),
        keys: [CropKeys.width, CropKeys.height, CropKeys.gravity, CropKeys.rect],
        rules: [
            "oneOf": [
                ["required": ["rect"], "maxProperties": 1],
                ["required": ["width", "height"], "not": ["required": ["rect"]]],
            ]
        ]
    )

    static let pad = ManifestSection(
        "pad",
        title: "pad",
        about: [
            "At least one of `width` and `height` is required. A side that is already longer stays as it is."
        ],
        example: .processor(##"{"pad": {"width": 1024, "height": 1024, "background": "#F0F0F0"}}"##),
        keys: [PadKeys.width, PadKeys.height, PadKeys.gravity, PadKeys.background],
        rules: ["anyOf": ManifestSchema.anyRequired(PadKeys.width, PadKeys.height)]
    )

    static let gravity = ManifestSection(
        "gravity",
        title: "Gravity",
        about: [
            "A gravity is `\"center\"`, `\"north\"`, `\"northEast\"`, `\"east\"`, `\"southEast\"`, `\"south\"`, `\"southWest\"`, "
                + "`\"west\"` or `\"northWest\"`, or a point with these keys. `crop` also takes `\"smart\"`."
        ],
        example: .processor(#"{"crop": {"width": 320, "height": 240, "gravity": {"x": 0.5, "y": 0.3}}}"#),
        keys: [GravityKeys.x, GravityKeys.y]
    )
}
