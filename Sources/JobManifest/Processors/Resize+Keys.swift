import Imaging

extension Resize: ManifestObject {
    static let standard = Resize()
    static let section = ManifestSection(
        "resize",
        about: [
            "At least one of `width` and `height` is required. The aspect ratio is kept unless `contentMode` is `fill`."
        ],
        example: .processor(
            #"{"resize": {"width": 320, "height": 320, "contentMode": "aspectFill", "crop": true}}"#
        ),
        keys: keys,
        anyOf: ["width", "height"],
        rules: [
            "if": ["properties": ["crop": ["const": true]], "required": ["crop"]],
            "then": [
                "properties": ["contentMode": ["const": "aspectFill"]],
                "required": ["width", "height", "contentMode"],
            ],
        ]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("width", "The target width.")
            .synonyms(["w", "size", "maxWidth"])
            .sets(\.width, as: .side, default: .described("by the height"), example: 320),
        KeyName("height", "The target height.")
            .synonyms(["h", "maxHeight"])
            .sets(\.height, as: .side, default: .described("by the width"), example: 320),
        KeyName(
            "contentMode",
            "`aspectFit` fits into the size, `aspectFill` covers it, `fill` stretches to it."
        )
        .synonyms(["fit", "mode", "fill", "resizeMode", "objectFit"])
        .sets(
            \.contentMode,
            as: .choice(
                ContentMode.self,
                synonyms: [
                    "fit": .aspectFit, "contain": .aspectFit, "inside": .aspectFit, "cover": .aspectFill,
                    "outside": .aspectFill, "stretch": .fill, "exact": .fill,
                ]
            ),
            example: "aspectFill"
        ),
        KeyName("crop", "With `aspectFill`, cuts off everything beyond the size.")
            .sets(\.crop, as: .bool, example: true),
        KeyName(
            "upscale",
            "Enlarges images that are smaller than the size. SVG is drawn at the size in any case."
        )
        .synonyms(["enlarge", "withEnlargement", "grow"])
        .sets(\.upscale, as: .bool, example: true),
        KeyName("filter", "The resampling filter.")
            .synonyms(["kernel", "interpolation", "resample"])
            .sets(
                \.filter,
                as: .choice(
                    ResampleFilter.self,
                    synonyms: ["lanczos": .lanczos3, "cubic": .bicubic, "linear": .bilinear, "nearest": .box]
                ),
                example: "mitchell"
            ),
        KeyName("linear", "Resamples in linear light.")
            .synonyms(["linearLight", "gammaCorrect"])
            .sets(\.linear, as: .bool, example: true),
    ]

    func check(_ fields: Fields) {
        guard crop, contentMode != .aspectFill || fields.node("width") == nil || fields.node("height") == nil
        else { return }
        fields.node("crop")?.report(
            "has no effect here: it needs \"width\", \"height\" and \"contentMode\": \"aspectFill\""
        )
    }
}
