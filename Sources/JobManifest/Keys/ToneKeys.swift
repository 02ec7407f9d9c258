import Imaging

/// The settings of `gaussianBlur`.
enum GaussianBlurKeys {
    static let radius = Key(
        "radius",
        .number(0...GaussianBlur.maxRadius),
        default: .number(GaussianBlur().radius),
        summary: "The radius in pixels.",
        example: 4,
        synonyms: ["sigma", "amount", "size"]
    )
}

/// The settings of `sharpen`.
enum SharpenKeys {
    private static let standard = Sharpen()

    static let sigma = Key(
        "sigma",
        .number(0...100),
        default: .number(standard.sigma),
        summary: "The standard deviation of the mask's blur, in pixels.",
        example: 0.8,
        synonyms: ["radius"]
    )
    static let amount = Key(
        "amount",
        .number(0...10),
        default: .number(standard.amount),
        summary: "The strength.",
        example: 1.5,
        synonyms: ["strength", "gain"]
    )
    static let threshold = Key(
        "threshold",
        .number(0...255),
        default: .number(standard.threshold),
        summary: "The largest difference, in 8-bit steps, that leaves a pixel unchanged.",
        example: 3
    )
}

/// The settings of `flatten`.
enum FlattenKeys {
    static let background = Key(
        "background",
        .opaqueColor,
        default: "#FFFFFF",
        summary: "The colour under transparent pixels.",
        example: "#1E90FF",
        synonyms: ["bg", "color", "colour", "backgroundColor"]
    )
}

/// The settings of `adjust`.
enum AdjustKeys {
    private static let standard = Adjust()

    static let brightness = Key(
        "brightness",
        .number(-1...1),
        default: .number(standard.brightness),
        summary: "Added to every channel, where 1 is white.",
        example: 0.1
    )
    static let contrast = Key(
        "contrast",
        .number(0...10),
        default: .number(standard.contrast),
        summary: "The factor of the distance from mid-grey.",
        example: 1.2
    )
    static let saturation = Key(
        "saturation",
        .number(0...10),
        default: .number(standard.saturation),
        summary: "The factor of the distance from grey; 0 removes colour.",
        example: 1.2
    )
    static let gamma = Key(
        "gamma",
        .number(0.1...10),
        default: .number(standard.gamma),
        summary: "Gamma correction; above 1 brightens mid-tones.",
        example: 2.2
    )
}

extension ManifestSection {
    static let gaussianBlur = ManifestSection(
        "gaussianBlur",
        title: "gaussianBlur",
        example: .processor(#"{"gaussianBlur": {"radius": 4}}"#),
        keys: [GaussianBlurKeys.radius]
    )

    static let sharpen = ManifestSection(
        "sharpen",
        title: "sharpen",
        example: .processor(#"{"sharpen": {"sigma": 0.8, "amount": 1.5}}"#),
        keys: [SharpenKeys.sigma, SharpenKeys.amount, SharpenKeys.threshold]
    )

    /// The settings of `grayscale`: none.
    static let grayscale = ManifestSection(
        "grayscale",
        title: "grayscale",
        about: ["`grayscale` keeps luma only. It has no settings."],
        example: .processor(#"{"grayscale": true}"#),
        keys: []
    )

    static let flatten = ManifestSection(
        "flatten",
        title: "flatten",
        example: .processor(##"{"flatten": {"background": "#1E90FF"}}"##),
        keys: [FlattenKeys.background]
    )

    static let adjust = ManifestSection(
        "adjust",
        title: "adjust",
        about: ["At least one of the keys is required."],
        example: .processor(#"{"adjust": {"contrast": 1.1, "saturation": 1.2}}"#),
        keys: [AdjustKeys.brightness, AdjustKeys.contrast, AdjustKeys.saturation, AdjustKeys.gamma],
        rules: [
            "anyOf": ManifestSchema.anyRequired(
                AdjustKeys.brightness,
                AdjustKeys.contrast,
                AdjustKeys.saturation,
                AdjustKeys.gamma
            )
        ]
    )
}
