import Imaging

/// The keys of an output.
enum OutputKeys {
    static let name = Key(
        "name",
        .filled,
        default: "output",
        summary: "The output's name, unique within the manifest.",
        example: "small",
        synonyms: ["id", "key", "label"]
    )
    static let processors = Key(
        "processors",
        .objects(.processor),
        default: [],
        summary: "Processors that run after those of the manifest and of the source.",
        example: [["resize": ["width": 320]]],
        synonyms: [
            "steps", "operations", "transforms", "filters", "resize", "crop", "size", "width", "height",
        ]
    )
    static let format = Key(
        "format",
        .custom("word or object", schema: formatSchema),
        default: "same",
        summary: "The file format, as a word or with settings; see [Formats](#formats).",
        example: ["jpeg": ["quality": 82]],
        synonyms: ["type", "encoding", "encoder", "quality", "jpeg", "png", "webp", "avif"]
    )
    static let widths = Key(
        "widths",
        .custom("array of pixels", schema: widthsSchema),
        summary:
            "Makes one output for each width, named `NAME-WIDTH`; see [Responsive images](web.md).",
        example: [400, 800, 1600],
        synonyms: ["sizes", "srcset", "breakpoints"]
    )
    static let formats = Key(
        "formats",
        .custom("array of words or objects", schema: formatsSchema),
        summary:
            "Makes one output for each format, named `NAME-FORMAT`, in place of `format`; see [Responsive images](web.md).",
        example: ["avif", ["webp": ["quality": 75]], "jpeg"]
    )
    static let path = Key(
        "path",
        .filled,
        default: .value(.string(OutputPath.standard)),
        summary: "The file's path below the destination; see [Output paths](paths.md).",
        example: "thumbs/{id}.{ext}",
        synonyms: ["file", "filename", "to", "template", "destination"]
    )
    static let names = Key(
        "names",
        .choice(
            OutputPath.Names.self,
            synonyms: ["original": .asFound, "keep": .asFound, "safe": .portable]
        ),
        default: .word(OutputPath.Names.portable),
        summary:
            "The texts in paths: `portable` keeps letters, digits, `.`, `_` and `-`; `asFound` keeps all but slashes, control characters and a `-` first. See [Names](paths.md#names).",
        example: "asFound",
        synonyms: ["sanitize", "keepNames", "naming"]
    )
    static let markup = Key(
        "markup",
        .object(.markup),
        summary: "Writes `<picture>` elements for the images at the end of a run; see [Markup](#markup).",
        example: ["file": "images.json"],
        synonyms: ["html", "picture"]
    )
    static let metadata = Key(
        "metadata",
        .choice(
            MetadataPolicy.self,
            synonyms: [
                "none": .strip, "remove": .strip, "all": .keep, "preserve": .keep, "rights": .copyright,
            ]
        ),
        default: .word(MetadataPolicy.strip),
        summary:
            "EXIF, XMP, IPTC and ICC data: `strip` drops all and converts colours to sRGB, `keep` keeps all, `copyright` keeps only rights and the ICC profile.",
        example: "copyright",
        synonyms: ["exif", "strip", "keepMetadata"]
    )
    static let existing = Key(
        "existing",
        .choice(
            Output.Existing.self,
            synonyms: ["overwrite": .replace, "skip": .keep, "ignore": .keep]
        ),
        default: .word(Output.Existing.replace),
        summary:
            "A file that nuke-batch did not write: `replace` overwrites it, `keep` skips the output with the reason `exists`.",
        example: "keep",
        synonyms: ["overwrite", "onExisting"]
    )
    static let object = Key(
        "object",
        .object(.objectSettings),
        default: [:],
        summary:
            "Attributes of the object, for a destination `s3://…`; see [Attributes of objects](#attributes-of-objects).",
        example: ["cacheControl": "public, max-age=86400"],
        synonyms: ["s3", "headers", "cacheControl", "contentType", "storageClass"]
    )
    static let onCollision = Key(
        "onCollision",
        .choice(
            Output.CollisionPolicy.self,
            synonyms: ["skip": .first, "ignore": .first, "refuse": .error, "stop": .error]
        ),
        default: .word(Output.CollisionPolicy.fail),
        summary:
            "A path that an earlier row already has: `fail` fails the output as `collision`, `first` skips it, `error` refuses the plan. See [Collisions](paths.md#collisions).",
        example: "first",
        synonyms: ["onConflict", "collision", "collisions", "duplicates", "onDuplicate"]
    )
    static let when = Key(
        "when",
        .object(.condition),
        default: [:],
        summary:
            "Conditions on the original; if one is not met, the output is skipped. See [Conditions](#conditions).",
        example: ["minWidth": 640],
        synonyms: ["if", "where", "only", "condition"]
    )
    static let background = Key(
        "background",
        .opaqueColor,
        default: "#FFFFFF",
        summary: "The colour under transparent pixels in a format without alpha.",
        example: "#1E90FF",
        synonyms: ["bg", "backgroundColor", "color", "colour"]
    )

    private static let formatSchema = ManifestSchema.any(
        ManifestSchema.words(ManifestSection.format.keys.map(\.name)),
        ManifestSchema.section(.format)
    )
    private static let widthsSchema: CanonicalJSON = [
        "type": "array", "items": ManifestSchema.side, "minItems": 1,
        "maxItems": .integer(OutputVariants.most),
        "uniqueItems": true,
    ]
    private static let formatsSchema: CanonicalJSON = [
        "type": "array", "items": formatSchema, "minItems": 1, "uniqueItems": true,
    ]
}

/// The keys of an output's `when`.
enum ConditionKeys {
    static let minWidth = Key(
        "minWidth",
        .integer(0...1_000_000),
        summary: "The minimum width of the original in pixels, after EXIF orientation.",
        example: 640,
        synonyms: ["width"]
    )
    static let minHeight = Key(
        "minHeight",
        .integer(0...1_000_000),
        summary: "The minimum height of the original in pixels, after EXIF orientation.",
        example: 480,
        synonyms: ["height"]
    )
    static let maxAspect = Key(
        "maxAspect",
        .number(1...1_000_000),
        summary: "The maximum ratio of the longer side to the shorter one.",
        example: 4,
        synonyms: ["aspect", "aspectRatio", "ratio"]
    )
    static let types = Key(
        "types",
        .list(
            of: .choice(ImageFormat.self, synonyms: ["jpg": .jpeg, "tif": .tiff, "heif": .heic]),
            "array of formats"
        ),
        default: [],
        summary:
            "The formats of originals: `jpeg`, `png`, `webp`, `gif`, `avif`, `heic`, `tiff`, `bmp`, `ico`; an empty array means all.",
        example: ["jpeg", "png"],
        synonyms: ["formats", "type", "format"]
    )
}

extension ManifestSection {
    static let output = ManifestSection(
        "output",
        title: "Outputs",
        about: [
            "Each item yields one file for each output. EXIF orientation is applied first, then the processors of the manifest, "
                + "the source and the output run in that order.",
            "When an output's name, processors, format, metadata, background, conditions, path or object change, the next run remakes it "
                + "from the cached original, without a request.",
            "An output with `widths`, `formats` or both stands for one output for each width and format, and for at most "
                + "\(OutputVariants.most). They are named `small-400`, `small-webp` or `small-400-webp`, and `{output}` in the "
                + "path is this name. The image is resized to the width after the other processors, and is never enlarged.",
        ],
        example: .output(
            """
            {
              "name": "small",
              "processors": [{"resize": {"width": 320, "height": 320, "contentMode": "aspectFill", "crop": true}}],
              "format": {"jpeg": {"quality": 82}},
              "path": "thumbs/{stem}.{ext}",
              "metadata": "copyright"
            }
            """
        ),
        keys: [
            OutputKeys.name, OutputKeys.processors, OutputKeys.format, OutputKeys.widths, OutputKeys.formats,
            OutputKeys.path, OutputKeys.names, OutputKeys.metadata, OutputKeys.existing,
            OutputKeys.onCollision,
            OutputKeys.when,
            OutputKeys.background, OutputKeys.markup, OutputKeys.object,
        ],
        rules: ["not": ["required": ["format", "formats"]]]
    )

    static let condition = ManifestSection(
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
        keys: [ConditionKeys.minWidth, ConditionKeys.minHeight, ConditionKeys.maxAspect, ConditionKeys.types]
    )
}
