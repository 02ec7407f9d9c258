import Imaging

/// The keys of `format`: the names of formats.
enum FormatKeys {
    static let jpeg = Key(
        "jpeg",
        .object(.jpeg),
        summary: "JPEG; transparent pixels are blended with `background`.",
        example: ["quality": 82],
        synonyms: ["jpg"]
    )
    static let png = Key("png", .object(.png), summary: "PNG.", example: ["compression": 9])
    static let webp = Key("webp", .object(.webp), summary: "WebP.", example: ["quality": 75])
    static let avif = Key(
        "avif",
        .object(.avif),
        summary: "AVIF.",
        example: ["quality": 50],
        synonyms: ["av1"]
    )
    static let same = Key(
        "same",
        .object(.same),
        summary: "The source's format; one that cannot be written becomes PNG with alpha, else JPEG.",
        example: [:],
        synonyms: ["source", "auto", "keep"]
    )
    static let original = Key(
        "original",
        .object(.same),
        summary: "A copy of the original's bytes, without processors.",
        example: [:],
        synonyms: ["copy", "raw"]
    )
}

/// The setting of the formats whose quality can be lowered.
enum LossyKeys {
    static let maxBytes = Key(
        "maxBytes",
        .size,
        summary: "The maximum size of a file; `quality` is lowered until it fits.",
        example: "200kB",
        synonyms: ["maxSize", "maxFileSize", "targetSize", "sizeLimit"]
    )
}

/// The settings of `jpeg`.
enum JPEGKeys {
    private static let standard = JPEGOptions()

    static let quality = Key(
        "quality",
        .integer(1...100),
        default: .integer(standard.quality),
        summary: "Quality; higher is larger.",
        example: 90,
        synonyms: ["q"]
    )
    static let progressive = Key(
        "progressive",
        .bool,
        default: .bool(standard.progressive),
        summary:
            "Writes scans of rising quality: the file is a few per cent smaller and several times slower to write.",
        example: true,
        synonyms: ["interlaced", "interlace"]
    )
    static let subsampling = Key(
        "subsampling",
        .choice(
            ChromaSubsampling.self,
            synonyms: ["420": .s420, "422": .s422, "444": .s444]
        ),
        default: .word(standard.subsampling),
        summary: "The resolution of colour; `4:4:4` keeps all of it.",
        example: "4:4:4",
        synonyms: ["chroma", "chromaSubsampling"]
    )
}

/// The settings of `png`.
enum PNGKeys {
    private static let standard = PNGOptions()

    static let compression = Key(
        "compression",
        .integer(1...9),
        default: .integer(standard.compression),
        summary: "Effort of lossless compression; higher is smaller and slower.",
        example: 9,
        synonyms: ["level", "effort", "compressionLevel"]
    )
    static let palette = Key(
        "palette",
        .bool,
        default: .bool(standard.palette),
        summary: "Reduces the image to at most 256 colours.",
        example: true,
        synonyms: ["quantize", "colors", "colours", "indexed"]
    )
}

/// The settings of `webp`.
enum WebPKeys {
    private static let standard = WebPOptions()

    static let quality = Key(
        "quality",
        .integer(0...100),
        default: .integer(standard.quality),
        summary: "Quality; for lossless images the effort of compression.",
        example: 75,
        synonyms: ["q"]
    )
    static let lossless = Key(
        "lossless",
        .bool,
        default: .bool(standard.lossless),
        summary: "Encodes without loss.",
        example: true
    )
    static let effort = Key(
        "effort",
        .integer(0...6),
        default: .integer(standard.effort),
        summary: "Effort of compression; higher is smaller and slower.",
        example: 6,
        synonyms: ["method", "speed", "compression"]
    )
}

/// The settings of `avif`.
enum AVIFKeys {
    private static let standard = AVIFOptions()

    static let quality = Key(
        "quality",
        .integer(0...100),
        default: .integer(standard.quality),
        summary: "Quality; higher is larger.",
        example: 50,
        synonyms: ["q"]
    )
    static let speed = Key(
        "speed",
        .integer(0...10),
        default: .integer(standard.speed),
        summary: "Speed of the encoder; lower is smaller and slower.",
        example: 4,
        synonyms: ["effort"]
    )
}

extension ManifestSection {
    private static let oneKey: [String: CanonicalJSON] = ["minProperties": 1, "maxProperties": 1]

    static let format = ManifestSection(
        "format",
        title: "Formats",
        about: [
            "`format` is one of these names, or an object with one of them as its key and its settings as the value."
        ],
        example: .output(#"{"name": "small", "processors": [{"resize": {"width": 320}}], "format": "webp"}"#),
        keys: [
            FormatKeys.jpeg, FormatKeys.png, FormatKeys.webp, FormatKeys.avif, FormatKeys.same,
            FormatKeys.original,
        ],
        rules: oneKey
    )

    static let jpeg = ManifestSection(
        "jpeg",
        title: "JPEG settings",
        example: .output(
            #"{"format": {"jpeg": {"quality": 85, "progressive": true, "subsampling": "4:4:4"}}}"#
        ),
        keys: [JPEGKeys.quality, LossyKeys.maxBytes, JPEGKeys.progressive, JPEGKeys.subsampling]
    )

    static let png = ManifestSection(
        "png",
        title: "PNG settings",
        example: .output(#"{"format": {"png": {"compression": 9, "palette": true}}}"#),
        keys: [PNGKeys.compression, PNGKeys.palette]
    )

    static let webp = ManifestSection(
        "webp",
        title: "WebP settings",
        example: .output(#"{"format": {"webp": {"quality": 75, "effort": 6}}}"#),
        keys: [WebPKeys.quality, LossyKeys.maxBytes, WebPKeys.lossless, WebPKeys.effort],
        rules: ["not": ["properties": ["lossless": ["const": true]], "required": ["lossless", "maxBytes"]]]
    )

    static let avif = ManifestSection(
        "avif",
        title: "AVIF settings",
        example: .output(#"{"format": {"avif": {"quality": 50, "speed": 4}}}"#),
        keys: [AVIFKeys.quality, LossyKeys.maxBytes, AVIFKeys.speed]
    )

    /// The settings of `same` and `original`: none.
    static let same = ManifestSection("same", title: "Same and original", keys: [])
}
