import Imaging

/// The settings of the encoders.
extension JPEGOptions: QualityOptions {
    static let standard = JPEGOptions()
    static let section = ManifestSection(
        "jpeg",
        title: "JPEG settings",
        example: .output(
            #"{"format": {"jpeg": {"quality": 85, "progressive": true, "subsampling": "4:4:4"}}}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("quality", "Quality; higher is larger.")
            .synonyms(["q"])
            .sets(\.writtenQuality, as: .quality(1...100), example: 90),
        .maxBytes(\.maxBytes),
        KeyName(
            "progressive",
            "Writes scans of rising quality: the file is a few per cent smaller and several times slower to write."
        )
        .synonyms(["interlaced", "interlace"])
        .sets(\.progressive, as: .bool, example: true),
        KeyName("subsampling", "The resolution of colour; `4:4:4` keeps all of it.")
            .synonyms(["chroma", "chromaSubsampling"])
            .sets(
                \.subsampling,
                as: .choice(ChromaSubsampling.self, synonyms: ["420": .s420, "422": .s422, "444": .s444]),
                example: "4:4:4"
            ),
        KeyName(
            "effort",
            "`smallest` takes about ten times as long and needs about a fifth fewer bytes for the same look; "
                + "the file is progressive where that is smaller."
        )
        .synonyms(["optimize", "trellis", "compression"])
        .sets(\.effort, as: .choice(JPEGOptions.Effort.self), example: "smallest").addedLater,
    ]
}

extension PNGOptions: ManifestObject {
    static let standard = PNGOptions()
    static let section = ManifestSection(
        "png",
        title: "PNG settings",
        example: .output(#"{"format": {"png": {"compression": 9, "palette": true}}}"#),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("compression", "Effort of lossless compression; higher is smaller and slower.")
            .synonyms(["level", "effort", "compressionLevel"])
            .sets(\.compression, as: .integer(1...9), example: 9),
        KeyName("palette", "Reduces the image to at most 256 colours.")
            .synonyms(["quantize", "colors", "colours", "indexed"])
            .sets(\.palette, as: .bool, example: true).addedLater,
    ]
}

extension WebPOptions: QualityOptions {
    static let standard = WebPOptions()
    static let section = ManifestSection(
        "webp",
        title: "WebP settings",
        example: .output(#"{"format": {"webp": {"quality": 75, "effort": 6}}}"#),
        keys: keys,
        rules: [
            "if": ["properties": ["lossless": ["const": true]], "required": ["lossless"]],
            "then": ["not": ["required": ["maxBytes"]], "properties": ["quality": ["type": "integer"]]],
        ]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("quality", "Quality; for lossless images the effort of compression.")
            .synonyms(["q"])
            .sets(\.writtenQuality, as: .quality(0...100), example: 75),
        .maxBytes(\.maxBytes),
        KeyName("lossless", "Encodes without loss.")
            .sets(\.lossless, as: .bool, example: true),
        KeyName("effort", "Effort of compression; higher is smaller and slower.")
            .synonyms(["method", "speed", "compression"])
            .sets(\.effort, as: .integer(0...6), example: 6),
    ]

    func check(_ fields: Fields) {
        guard lossless else { return }
        fields.node("maxBytes")?.report(
            "cannot be combined with \"lossless\", which has no quality to lower: remove one of them"
        )
        guard minimumSSIMULACRA2 != nil else { return }
        fields.node("quality")?.report(
            "cannot be the likeness of a file with \"lossless\", which loses nothing: remove one of them"
        )
    }
}

extension AVIFOptions: QualityOptions {
    static let standard = AVIFOptions()
    static let section = ManifestSection(
        "avif",
        title: "AVIF settings",
        example: .output(#"{"format": {"avif": {"quality": 50, "speed": 4}}}"#),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("quality", "Quality; higher is larger.")
            .synonyms(["q"])
            .sets(\.writtenQuality, as: .quality(0...100), example: 50),
        .maxBytes(\.maxBytes),
        KeyName("speed", "Speed of the encoder; lower is smaller and slower.")
            .synonyms(["effort"])
            .sets(\.speed, as: .integer(0...10), example: 4),
    ]
}

extension GIFOptions: ManifestObject {
    static let standard = GIFOptions()
    static let section = ManifestSection(
        "gif",
        title: "GIF settings",
        about: [
            "Translucent pixels become transparent or opaque. Of an animation, each frame has its own colours."
        ],
        example: .output(#"{"format": {"gif": {"colors": 64}}, "animation": "keep"}"#),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("colors", "The maximum number of colours of a frame; fewer are smaller.")
            .synonyms(["colours", "palette", "quality"])
            .sets(\.colors, as: .integer(2...256), example: 64)
    ]
}

extension BoundKey where Object: ManifestObject {
    /// The key of the formats whose quality can be lowered.
    static func maxBytes(_ property: Property<Object, Int?>, change: String = "`quality` is lowered") -> Self
    {
        KeyName("maxBytes", "The maximum size of a file; \(change) until it fits.")
            .synonyms(["maxSize", "maxFileSize", "targetSize", "sizeLimit"])
            .sets(property, as: .size, example: "200kB").addedLater
    }
}
