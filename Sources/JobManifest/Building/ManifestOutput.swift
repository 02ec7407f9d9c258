public import Imaging

/// An output of every item for a manifest that is built in code.
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
    public var names = OutputKeys.names.standard
    /// Widths in pixels: one output for each, never wider than the original, named `NAME-WIDTH`.
    public var widths: [Int] = []
    /// Formats in place of `format`: one output for each, named `NAME-FORMAT`.
    public var formats: [OutputFormat] = []
    /// The `<picture>` elements to write; nil for none.
    public var markup: Markup?
    /// The treatment of a file that nuke-batch did not write.
    public var existing = OutputKeys.existing.standard
    /// The treatment of a path that an earlier row already has.
    public var onCollision = OutputKeys.onCollision.standard
    /// The metadata to keep.
    public var metadata = OutputKeys.metadata.standard
    /// The conditions on the original; `widerThan` is for `widths` to set.
    public var condition = OutputCondition()
    /// The colour under transparent pixels in a format without alpha.
    public var background = OutputKeys.background.standard
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

    /// Creates an output; nil for the default that a manifest has.
    public init(
        name: String = "output",
        processors: [Step] = [],
        format: OutputFormat = .same,
        path: String? = nil,
        names: OutputPath.Names? = nil,
        widths: [Int] = [],
        formats: [OutputFormat] = [],
        markup: Markup? = nil,
        existing: Output.Existing? = nil,
        onCollision: Output.CollisionPolicy? = nil,
        metadata: MetadataPolicy? = nil,
        condition: OutputCondition = OutputCondition(),
        background: RGBColor? = nil,
        object: ObjectSettings = ObjectSettings()
    ) {
        self.name = name
        self.processors = processors
        self.format = format
        self.path = path
        self.names = names ?? self.names
        self.widths = widths
        self.formats = formats
        self.markup = markup
        self.existing = existing ?? self.existing
        self.onCollision = onCollision ?? self.onCollision
        self.metadata = metadata ?? self.metadata
        self.condition = condition
        self.background = background ?? self.background
        self.object = object
    }

    /// The output as a manifest writes it.
    package var json: CanonicalJSON {
        [
            "name": .string(name),
            "processors": .array(processors.map(\.canonical)),
            // Not both: formats stand in the place of one.
            "format": format == .same ? .null : format.canonical,
            "formats": formats.isEmpty ? .null : .array(formats.map(\.canonical)),
            "widths": widths.isEmpty ? .null : .array(widths.map(CanonicalJSON.integer)),
            "path": path.map(CanonicalJSON.string) ?? .null,
            "names": .word(names),
            "markup": markup?.json ?? .null,
            "existing": .word(existing),
            "onCollision": .word(onCollision),
            "metadata": .word(metadata),
            "when": condition.json,
            "object": object.json,
            "background": .string(
                Color(red: background.red, green: background.green, blue: background.blue).hexadecimal
            ),
        ]
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

extension OutputCondition {
    /// The conditions as a manifest writes them.
    fileprivate var json: CanonicalJSON {
        [
            "minWidth": minWidth.map(CanonicalJSON.integer) ?? .null,
            "minHeight": minHeight.map(CanonicalJSON.integer) ?? .null,
            "maxAspect": maxAspect.map(CanonicalJSON.number) ?? .null,
            "types": .strings(types.map(\.rawValue).sorted()),
        ]
    }
}
