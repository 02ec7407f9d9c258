public import Imaging

/// An output of every item as a manifest writes it, in its file or in code.
///
/// In all texts, `${NAME}` stands for an environment variable and `$${` for `${`, as in a manifest's file. `Manifest.init`
/// checks everything.
public struct ManifestOutput: Sendable {
    /// The name, unique among the outputs.
    public var name: String
    /// The processors that run after those of the manifest and of the source.
    public var processors: [Step]
    /// The format to encode, with the settings that a manifest has: not `optimizesTables` of JPEG.
    public var format: OutputFormat
    /// The path below the destination, such as `"small/{stem}.{ext}"`; nil for a folder named after the output.
    public var path: String?
    /// The texts in the path: sanitised, or as they are.
    public var names = OutputPath.Names.portable
    /// Widths in pixels: one output for each, never wider than the original, named `NAME-WIDTH`.
    public var widths: [Int] = []
    /// Formats in place of `format`: one output for each, named `NAME-FORMAT`.
    public var formats: [OutputFormat] = []
    /// The `<picture>` elements to write; nil for none.
    public var markup: Markup?
    /// The treatment of a file that nuke-batch did not write.
    public var existing = Output.Existing.replace
    /// The treatment of a path that an earlier row already has.
    public var onCollision = Output.CollisionPolicy.fail
    /// The metadata to keep.
    public var metadata = MetadataPolicy.strip
    /// The treatment of brightness above that of standard screens.
    public var hdr = HDRHandling.drop
    /// The frames of an animated original to show.
    public var animation = AnimationPolicy.first
    /// The conditions on the original; `widerThan` is for `widths` to set.
    public var condition = OutputCondition()
    /// The colour under transparent pixels in a format without alpha.
    public var background = RGBColor.white
    /// The attributes of the objects, for a destination in a bucket.
    public var object = ObjectSettings()

    /// The files with `<picture>` elements for all images of an output.
    public struct Markup: Sendable {
        /// The file below the destination: `.json` or `.jsonl` for an index of all items, or the template of a snippet for each.
        public var file: String
        /// The `sizes` attribute, for an output with widths; nil for `100vw`.
        public var sizes: String?
        /// The column or path variable with the text of the `alt` attribute; nil for `alt`.
        public var alt: String?
        /// The URL of the destination; nil for URLs relative to it.
        public var baseURL: String?

        /// Creates markup.
        public init(file: String, sizes: String? = nil, alt: String? = nil, baseURL: String? = nil) {
            (self.file, self.sizes, self.alt, self.baseURL) = (file, sizes, alt, baseURL)
        }
    }

    /// Creates an output; `change` sets what else differs from the defaults.
    public init(
        name: String = "output",
        processors: [Step] = [],
        format: OutputFormat = .same,
        path: String? = nil,
        _ change: (inout Self) -> Void = { _ in }
    ) {
        (self.name, self.processors, self.format, self.path) = (name, processors, format, path)
        change(&self)
    }
}

extension ManifestOutput: ManifestObject {
    static let standard = ManifestOutput()
    static let section = ManifestSection(
        "output",
        title: "Outputs",
        about: [
            "Each item yields one file for each output. EXIF orientation is applied first, then the processors of the manifest, "
                + "the source and the output run in that order.",
            "When an output's name, processors, format, metadata, hdr, animation, background, conditions, path or object change, the next run remakes it "
                + "from the cached original, without a request.",
            "An output with `widths`, `formats` or both stands for one output for each width and format, and for at most "
                + "\(OutputVariants.most). They are named `small-400`, `small-webp` or `small-400-webp`, and `{output}` in the "
                + "path is this name. The image is resized to the width after the other processors, and is never enlarged; "
                + "an SVG is drawn at each width.",
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
        keys: keys,
        rules: ["not": ["required": ["format", "formats"]]]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("name", "The output's name, unique within the manifest.")
            .synonyms(["id", "key", "label"])
            .sets(\.name, as: .outputName, example: "small"),
        KeyName("processors", "Processors that run after those of the manifest and of the source.")
            .synonyms([
                "steps", "operations", "transforms", "filters", "resize", "crop", "size", "width", "height",
            ])
            .sets(\.processors, as: .steps, example: [["resize": ["width": 320]]]),
        KeyName("format", "The file format, as a word or with settings; see [Formats](#formats).")
            .synonyms([
                "type", "encoding", "encoder", "quality", "jpeg", "png", "webp", "avif", "jxl", "gif",
                "smallest",
            ])
            .sets(\.format, as: .format, example: ["jpeg": ["quality": 82]]).nullByDefault,
        KeyName(
            "widths",
            "Makes one output for each width, named `NAME-WIDTH`; see [Responsive images](web.md)."
        )
        .synonyms(["sizes", "srcset", "breakpoints"])
        .sets(\.widths, as: .widths, default: KeyDefault.none, example: [400, 800, 1600]).nullByDefault,
        KeyName(
            "formats",
            "Makes one output for each format, named `NAME-FORMAT`, in place of `format`; see [Responsive images](web.md)."
        )
        .sets(
            \.formats,
            as: .formats,
            default: KeyDefault.none,
            example: ["avif", ["webp": ["quality": 75]], "jpeg"]
        ).nullByDefault,
        KeyName("path", "The file's path below the destination; see [Output paths](paths.md).")
            .synonyms(["file", "filename", "to", "template", "destination"])
            .sets(
                \.path,
                as: .filled,
                default: .value(.string(OutputPath.standard)),
                example: "thumbs/{id}.{ext}"
            ),
        KeyName(
            "names",
            "The texts in paths: `portable` keeps letters, digits, `.`, `_` and `-`; `asFound` keeps all but slashes, control characters and a `-` first. See [Names](paths.md#names)."
        )
        .synonyms(["sanitize", "keepNames", "naming"])
        .sets(
            \.names,
            as: .choice(
                OutputPath.Names.self,
                synonyms: ["original": .asFound, "keep": .asFound, "safe": .portable]
            ),
            example: "asFound"
        ),
        KeyName(
            "metadata",
            "EXIF, XMP, IPTC and ICC data: `strip` drops all and converts colours to sRGB, `keep` keeps all, `copyright` keeps only rights and the ICC profile; an object names [classes](#classes-of-metadata)."
        )
        .synonyms(["exif", "strip", "keepMetadata"])
        .sets(\.metadata, as: .metadata, example: "copyright"),
        KeyName(
            "hdr",
            "Brightness above that of standard screens (HDR): `drop` leaves it out and refuses pictures in PQ or HLG, `keep` keeps it where the format can hold it, `tonemap` maps PQ and HLG to sRGB. See [HDR](hdr.md)."
        )
        .synonyms(["highDynamicRange", "toneMap", "toneMapping", "gainMap", "dynamicRange"])
        .sets(
            \.hdr,
            as: .choice(
                HDRHandling.self,
                synonyms: [
                    "none": .drop, "strip": .drop, "remove": .drop, "sdr": .tonemap, "toneMap": .tonemap,
                    "map": .tonemap, "preserve": .keep,
                ]
            ),
            example: "tonemap"
        ).addedLater,
        KeyName(
            "animation",
            "The frames of an animated original: `first` shows the first one alone, `keep` keeps all in WebP and GIF; an object [bounds](#animations) it."
        )
        .synonyms(["animated", "frames", "keepAnimation"])
        .sets(\.animation, as: .animation, example: "keep").addedLater,
        KeyName(
            "existing",
            "A file that nuke-batch did not write: `replace` overwrites it, `keep` skips the output with the reason `exists`."
        )
        .synonyms(["overwrite", "onExisting"])
        .sets(
            \.existing,
            as: .choice(
                Output.Existing.self,
                synonyms: ["overwrite": .replace, "skip": .keep, "ignore": .keep]
            ),
            example: "keep"
        ),
        KeyName(
            "onCollision",
            "A path that an earlier row already has: `fail` fails the output as `collision`, `first` skips it, `error` refuses the plan. See [Collisions](paths.md#collisions)."
        )
        .synonyms(["onConflict", "collision", "collisions", "duplicates", "onDuplicate"])
        .sets(
            \.onCollision,
            as: .choice(
                Output.CollisionPolicy.self,
                synonyms: ["skip": .first, "ignore": .first, "refuse": .error, "stop": .error]
            ),
            example: "first"
        ),
        KeyName(
            "when",
            "Conditions on the original; if one is not met, the output is skipped. See [Conditions](#conditions)."
        )
        .synonyms(["if", "where", "only", "condition"])
        .sets(\.condition, as: .object(OutputCondition.self), default: [:], example: ["minWidth": 640]),
        KeyName("background", "The colour under transparent pixels in a format without alpha.")
            .synonyms(["bg", "backgroundColor", "color", "colour"])
            .sets(\.background, as: .opaqueColor, example: "#1E90FF"),
        KeyName(
            "markup",
            "Writes `<picture>` elements for the images at the end of a run; see [Markup](#markup)."
        )
        .synonyms(["html", "picture"])
        .reads(
            "object",
            schema: JSONSchema.section(JobManifest.Markup.section),
            default: KeyDefault.none,
            example: ["file": "images.json"]
        ) { _, _ in
        } write: {
            $0.markup?.json ?? .null
        },
        KeyName(
            "object",
            "Attributes of the object, for a destination `s3://…`; see [Attributes of objects](#attributes-of-objects)."
        )
        .synonyms(["s3", "headers", "cacheControl", "contentType", "storageClass"])
        .sets(
            \.object,
            as: .object(ObjectSettings.self),
            default: [:],
            example: ["cacheControl": "public, max-age=86400"]
        ).nullByDefault,
    ]
}

extension KeyKind where Value == String {
    fileprivate static var outputName: Self {
        .text(schema: filled.schema) { node in
            guard let name = node.string() else { return nil }
            if name.isEmpty { node.report("is empty: name the output") }
            if !ManifestNode.isHeaderValue(name) { node.report("holds a control character: remove it") }
            return name
        }
    }
}

extension KeyKind where Value == [Step] {
    static var steps: Self {
        let schema = JSONSchema.list(of: JSONSchema.section(Step.section))
        return KeyKind("array of objects", schema: schema, read: { Step.list($0) }) {
            .array($0.map(\.canonical))
        }
    }
}

extension ManifestOutput.Markup {
    /// The markup as a manifest writes it.
    fileprivate var json: CanonicalJSON {
        [
            "file": .string(file), "sizes": sizes.map(CanonicalJSON.string) ?? .null,
            "alt": alt.map(CanonicalJSON.string) ?? .null,
            "baseURL": baseURL.map(CanonicalJSON.string) ?? .null,
        ]
    }
}
