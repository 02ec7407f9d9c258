public import Imaging

/// The format of an output, with the settings of its encoder.
public enum OutputFormat: Sendable, Hashable {
    /// One format for all items.
    case encoded(EncodingFormat)
    /// That of several formats whose file is the smallest at one floor of quality.
    case smallest(SmallestFormat)
    /// The source's format; one that cannot be written becomes PNG with alpha, else JPEG.
    case same
    /// The bytes as they came.
    case original

    /// The formats, with their settings, that files may have whatever the original is; none if it decides.
    package var encodings: [EncodingFormat] {
        switch self {
        case .encoded(let format): [format]
        case .smallest(let choice): choice.candidates
        case .same, .original: []
        }
    }

    /// The extension of the files if the format alone decides it.
    var fixedExtension: String? {
        if case .encoded(let format) = self { format.imageFormat.fileExtension } else { nil }
    }

    /// The score of SSIMULACRA2 that each file has at least; nil if the quality is given, or nothing is lost.
    package var minimumSSIMULACRA2: Double? {
        switch self {
        case .encoded(let format): format.minimumSSIMULACRA2
        case .smallest(let choice): choice.minimumSSIMULACRA2
        case .same, .original: nil
        }
    }

    /// The word for it in a manifest, without its settings.
    var word: String {
        switch self {
        case .encoded(let format): format.imageFormat.rawValue
        case .smallest: "smallest"
        case .same: "same"
        case .original: "original"
        }
    }

    /// The format with all its settings, the defaults too.
    var canonical: CanonicalJSON {
        switch self {
        case .encoded(.jpeg(let options)): ["jpeg": options.json]
        case .encoded(.png(let options)): ["png": options.json]
        case .encoded(.webp(let options)): ["webp": options.json]
        case .encoded(.avif(let options)): ["avif": options.json]
        case .encoded(.jxl(let options)): ["jxl": options.json]
        case .encoded(.gif(let options)): ["gif": options.json]
        case .smallest(let choice): ["smallest": choice.canonical]
        case .same, .original: .string(word)
        }
    }
}

extension OutputFormat {
    static let section = ManifestSection(
        "format",
        title: "Formats",
        about: [
            "`format` is one of these names, or an object with one of them as its key and its settings as the value."
        ],
        example: .output(#"{"name": "small", "processors": [{"resize": {"width": 320}}], "format": "webp"}"#),
        keys: keys,
        rules: ["minProperties": 1, "maxProperties": 1]
    )

    /// The settings of `same` and `original`: none.
    static let plainSection = ManifestSection("same", title: "Same and original", keys: [Key<OutputFormat>]())

    private static let keys: [Key<OutputFormat>] = [
        KeyName("jpeg", "JPEG; transparent pixels are blended with `background`.")
            .synonyms(["jpg"])
            .holds(KeyKind.object(JPEGOptions.self).making { .encoded(.jpeg($0)) }, example: ["quality": 82]),
        KeyName("png", "PNG.")
            .holds(
                KeyKind.object(PNGOptions.self).making { .encoded(.png($0)) },
                example: ["compression": 9]
            ),
        KeyName("webp", "WebP.")
            .holds(KeyKind.object(WebPOptions.self).making { .encoded(.webp($0)) }, example: ["quality": 75]),
        KeyName("avif", "AVIF.")
            .synonyms(["av1"])
            .holds(KeyKind.object(AVIFOptions.self).making { .encoded(.avif($0)) }, example: ["quality": 50]),
        KeyName("jxl", "JPEG XL.")
            .synonyms(["jpegxl", "jpeg-xl"])
            .holds(
                KeyKind.object(JPEGXLOptions.self).making { .encoded(.jxl($0)) },
                example: ["distance": 1.5]
            ),
        KeyName("gif", "GIF, of at most 256 colours a frame.")
            .holds(KeyKind.object(GIFOptions.self).making { .encoded(.gif($0)) }, example: ["colors": 64]),
        KeyName(
            "smallest",
            "Of several formats, that of the smallest file at one quality; see [Smallest file](#smallest-file)."
        )
        .synonyms(["best", "min", "minimum"])
        .holds(.smallest, example: ["quality": ["ssimulacra2": 70]]),
        KeyName(
            "same",
            "The source's format; GIF, and one that cannot be written, become PNG with alpha, else JPEG."
        )
        .synonyms(["source", "auto", "keep"])
        .holds(plain(.same), example: [:]),
        KeyName("original", "A copy of the original's bytes, without processors.")
            .synonyms(["copy", "raw"])
            .holds(plain(.original), example: [:]),
    ]

    private static func plain(_ format: OutputFormat) -> KeyKind<OutputFormat> {
        KeyKind.object(plainSection).making { node in
            _ = node.fields(plainSection)
            return format
        }
    }

    /// Reads `"jpeg"` or `{"jpeg": {"quality": 82}}`; nothing at all is `same`.
    init(_ node: ManifestNode?) {
        self = node.flatMap(Self.read) ?? .same
        let written = ImageEncoder.formats
        if let format = encodings.first(where: { !written.contains($0.imageFormat) }) {
            let name = format.imageFormat.rawValue
            let missing = format.plugIn == .palette ? "Palette" : name.uppercased()
            node?.report(
                "this build does not write \(name): build with the trait \(missing), or choose another format"
            )
        }
    }

    /// Reads a format as the initialiser does; nil after an error.
    static func read(_ node: ManifestNode) -> OutputFormat? {
        if case .string(let name) = node.value.kind {
            let plain = keys.first { $0.name == name }?.kind.value(of: [:])
            if plain == nil, name == "smallest" {
                node.report(WrittenChoice.remedy)
            } else if plain == nil {
                node.report(name, isNoneOf: keys.map(\.name), synonyms: section.synonyms)
            }
            return plain
        }
        guard let fields = node.fields(section) else { return nil }
        guard fields.count == 1 else {
            node.report("should be a name, or an object with one key, the format's name, not \(fields.count)")
            return nil
        }
        return fields.alternative(of: keys)
    }
}
