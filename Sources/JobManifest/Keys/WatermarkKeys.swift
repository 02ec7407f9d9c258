import Imaging

/// The settings of `watermark`.
enum WatermarkKeys {
    private static let standard = Watermark.Placement()

    static let image = Key(
        "image",
        .custom("string", schema: ManifestSchema.string),
        default: .required,
        summary: "The image to overlay, by path or URL.",
        example: "logo.png",
        synonyms: ["file", "path", "url", "src"]
    )
    static let gravity = Key(
        "gravity",
        .gravity(),
        default: "southEast",
        summary: "The watermark's position; with `tile`, the position of the first copy.",
        example: "southWest",
        synonyms: ["position", "anchor"]
    )
    static let scale = Key(
        "scale",
        .number(0.001...1),
        default: .described("the watermark's own size"),
        summary: "The watermark's longer side as a fraction of the image's shorter side.",
        example: 0.2,
        synonyms: ["size", "width"]
    )
    static let opacity = Key(
        "opacity",
        .number(0...1),
        default: .number(standard.opacity),
        summary: "The watermark's opacity.",
        example: 0.6,
        synonyms: ["alpha", "transparency"]
    )
    static let margin = Key(
        "margin",
        .distance,
        default: .integer(standard.margin),
        summary: "The distance from the edges, and between tiles.",
        example: 16,
        synonyms: ["padding", "offset"]
    )
    static let tile = Key(
        "tile",
        .bool,
        default: .bool(standard.tile),
        summary: "Repeats the watermark across the whole image.",
        example: true,
        synonyms: ["repeat"]
    )
}

extension ManifestSection {
    static let watermark = ManifestSection(
        "watermark",
        title: "watermark",
        example: .processor(
            #"{"watermark": {"image": "photos/coffee.png", "gravity": "southEast", "scale": 0.2, "opacity": 0.6, "margin": 8}}"#
        ),
        keys: [
            WatermarkKeys.image, WatermarkKeys.gravity, WatermarkKeys.scale, WatermarkKeys.opacity,
            WatermarkKeys.margin, WatermarkKeys.tile,
        ]
    )
}
