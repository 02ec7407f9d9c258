import Imaging

/// The settings of `resize`.
enum ResizeKeys {
    private static let standard = Resize()

    static let width = Key(
        "width",
        .side,
        default: .described("by the height"),
        summary: "The target width.",
        example: 320,
        synonyms: ["w", "size", "maxWidth"]
    )
    static let height = Key(
        "height",
        .side,
        default: .described("by the width"),
        summary: "The target height.",
        example: 320,
        synonyms: ["h", "maxHeight"]
    )
    static let contentMode = Key(
        "contentMode",
        .choice(
            Resize.ContentMode.self,
            synonyms: [
                "fit": .aspectFit, "contain": .aspectFit, "inside": .aspectFit, "cover": .aspectFill,
                "outside": .aspectFill, "stretch": .fill, "exact": .fill,
            ]
        ),
        default: .word(standard.contentMode),
        summary: "`aspectFit` fits into the size, `aspectFill` covers it, `fill` stretches to it.",
        example: "aspectFill",
        synonyms: ["fit", "mode", "fill", "resizeMode", "objectFit"]
    )
    static let crop = Key(
        "crop",
        .bool,
        default: .bool(standard.crop),
        summary: "With `aspectFill`, cuts off everything beyond the size.",
        example: true
    )
    static let upscale = Key(
        "upscale",
        .bool,
        default: .bool(standard.upscale),
        summary: "Enlarges images that are smaller than the size.",
        example: true,
        synonyms: ["enlarge", "withEnlargement", "grow"]
    )
    static let filter = Key(
        "filter",
        .choice(
            ResampleFilter.self,
            synonyms: ["lanczos": .lanczos3, "cubic": .bicubic, "linear": .bilinear, "nearest": .box]
        ),
        default: .word(standard.filter),
        summary: "The resampling filter.",
        example: "mitchell",
        synonyms: ["kernel", "interpolation", "resample"]
    )
    static let linear = Key(
        "linear",
        .bool,
        default: .bool(standard.linear),
        summary: "Resamples in linear light.",
        example: true,
        synonyms: ["linearLight", "gammaCorrect"]
    )
}

extension ManifestSection {
    static let resize = ManifestSection(
        "resize",
        title: "resize",
        about: [
            "At least one of `width` and `height` is required. The aspect ratio is kept unless `contentMode` is `fill`."
        ],
        example: .processor(
            #"{"resize": {"width": 320, "height": 320, "contentMode": "aspectFill", "crop": true}}"#
        ),
        keys: [
            ResizeKeys.width, ResizeKeys.height, ResizeKeys.contentMode, ResizeKeys.crop, ResizeKeys.upscale,
            ResizeKeys.filter, ResizeKeys.linear,
        ],
        rules: [
            "anyOf": ManifestSchema.anyRequired(ResizeKeys.width, ResizeKeys.height),
            "if": ["properties": ["crop": ["const": true]], "required": ["crop"]],
            "then": [
                "properties": ["contentMode": ["const": "aspectFill"]],
                "required": ["width", "height", "contentMode"],
            ],
        ]
    )
}
