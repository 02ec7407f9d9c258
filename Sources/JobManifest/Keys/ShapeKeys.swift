import Imaging

/// The settings of `circle`.
enum CircleKeys {
    static let border = Key(
        "border",
        .object(.border),
        summary: "A line along the edge; see [Borders](#borders).",
        example: ["color": "#FFFFFF"],
        synonyms: ["stroke", "outline"]
    )
}

/// The settings of `roundedCorners`.
enum RoundedCornersKeys {
    static let radius = Key(
        "radius",
        .length(from: 0),
        default: .required,
        summary: "The radius, clamped to half the shorter side.",
        example: 16,
        synonyms: ["size", "r"]
    )
    static let border = Key(
        "border",
        .object(.border),
        summary: "A line along the edge; see [Borders](#borders).",
        example: ["color": "#FFFFFF"],
        synonyms: ["stroke", "outline"]
    )
}

/// The keys of `border`.
enum BorderKeys {
    static let color = Key(
        "color",
        .color,
        default: .required,
        summary: "The line's colour.",
        example: "#1E90FF",
        synonyms: ["colour"]
    )
    static let width = Key(
        "width",
        .length(from: 0.1),
        default: .number(Border(color: .white).width),
        summary: "The line's width.",
        example: 2,
        synonyms: ["size", "thickness"]
    )
}

/// The settings of `rotate`.
enum RotateKeys {
    static let degrees = Key(
        "degrees",
        KeyKind<Int>(
            "multiple of 90, -3600 to 3600",
            schema: ["type": "integer", "multipleOf": 90, "minimum": -3600, "maximum": 3600]
        ) { node in
            guard let degrees = node.integer(-3600...3600) else { return nil }
            if degrees % 90 != 0 { node.report("should be a multiple of 90, not \(degrees)") }
            return degrees
        },
        default: .integer(Rotate().degrees),
        summary: "The angle, clockwise.",
        example: 90,
        synonyms: ["angle", "rotation"]
    )
    static let flip = Key(
        "flip",
        .choice(Rotate.Flip.self),
        summary: "`horizontal` swaps left and right, `vertical` swaps top and bottom.",
        example: "horizontal",
        synonyms: ["mirror", "flop"]
    )
}

/// The settings of `trim`.
enum TrimKeys {
    static let tolerance = Key(
        "tolerance",
        .integer(0...255),
        default: .integer(Trim().tolerance),
        summary: "The largest difference of a channel from the top left pixel, in 8-bit steps.",
        example: 20,
        synonyms: ["threshold", "fuzz"]
    )
}

extension ManifestSection {
    static let circle = ManifestSection(
        "circle",
        title: "circle",
        example: .processor(##"{"circle": {"border": {"color": "#FFFFFF", "width": 4}}}"##),
        keys: [CircleKeys.border]
    )

    static let roundedCorners = ManifestSection(
        "roundedCorners",
        title: "roundedCorners",
        example: .processor(#"{"roundedCorners": {"radius": 16}}"#),
        keys: [RoundedCornersKeys.radius, RoundedCornersKeys.border]
    )

    static let border = ManifestSection(
        "border",
        title: "Borders",
        about: ["`circle` and `roundedCorners` take a `border` with these keys."],
        example: .processor(
            ##"{"roundedCorners": {"radius": 16, "border": {"color": "#1E90FF", "width": 2}}}"##
        ),
        keys: [BorderKeys.color, BorderKeys.width]
    )

    static let rotate = ManifestSection(
        "rotate",
        title: "rotate",
        about: [
            "At least one of the keys is required. EXIF orientation has already been applied. The flip follows the rotation."
        ],
        example: .processor(#"{"rotate": {"degrees": 90}}"#),
        keys: [RotateKeys.degrees, RotateKeys.flip],
        rules: ["anyOf": ManifestSchema.anyRequired(RotateKeys.degrees, RotateKeys.flip)]
    )

    static let trim = ManifestSection(
        "trim",
        title: "trim",
        example: .processor(#"{"trim": {"tolerance": 20}}"#),
        keys: [TrimKeys.tolerance]
    )
}
