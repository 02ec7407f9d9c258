import Imaging

/// The choice of a format as a manifest writes it.
struct WrittenChoice: Sendable {
    var formats = SmallestFormat.usual
    var floor: QualityFloor?
    var maxBytes: Int?

    /// The choice; nil after an error of the floor.
    var choice: SmallestFormat? {
        floor?.ssimulacra2.map { SmallestFormat(formats, minimumSSIMULACRA2: $0, maxBytes: maxBytes) }
    }
}

extension WrittenChoice: ManifestObject {
    static let standard = WrittenChoice()
    static let section = ManifestSection(
        "smallest",
        title: "Smallest file",
        about: [
            "Each image is written in each of `formats`, and the smallest file that looks as much like it as `quality` asks is "
                + "kept. Of equal files, that of the earlier format is kept. `{ext}` in the path is the extension of the format "
                + "that was taken, and the output's `format` tells it. See [Quality](quality.md#the-smallest-of-several-formats).",
            "`quality` and `maxBytes` hold for all of the formats; one without loss, such as PNG or `{\"webp\": "
                + "{\"lossless\": true}}`, has every quality. Images with transparent pixels never become JPEG. "
                + "Of an animation, the first frame is shown.",
        ],
        example: .output(
            #"{"format": {"smallest": {"quality": {"ssimulacra2": 70}}}, "path": "{stem}.{ext}"}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName(
            "formats",
            "At least two of `avif`, `webp`, `jpeg`, `png` and `jxl`, each as a word or with settings; by default "
                + "those that every current browser reads."
        )
        .synonyms(["format", "of", "candidates", "types"])
        .sets(
            \.formats,
            as: .candidates,
            default: ["avif", "webp", "jpeg", "png"],
            example: ["avif", ["jpeg": ["progressive": true]]]
        ),
        KeyName("quality", "The [likeness](#quality-by-likeness) that each file has at least.")
            .synonyms(["floor", "target", "ssimulacra2"])
            .sets(
                \.floor,
                as: .floor("; without a floor, sizes cannot be compared"),
                default: .required,
                example: ["ssimulacra2": 70]
            ),
        .maxBytes(\.maxBytes),
    ]

    /// The end of an error about a choice without a floor.
    static let remedy =
        "needs a floor of quality, without which sizes cannot be compared: write "
        + "{\"smallest\": {\"quality\": {\"ssimulacra2\": 70}}}"
}

extension KeyKind where Value == OutputFormat {
    /// The format of the smallest file; reports one without a floor with the reason.
    static var smallest: Self {
        KeyKind<WrittenChoice>("object", schema: JSONSchema.section(WrittenChoice.section)) { node in
            guard case .object(let members) = node.value.kind,
                members.contains(where: { $0.key == "quality" })
            else {
                node.report(WrittenChoice.remedy)
                return nil
            }
            return WrittenChoice(object: node)
        } write: {
            $0.json
        }
        .making { $0.choice.map { .smallest($0) } }
    }
}

extension SmallestFormat {
    /// The choice as a manifest writes it; equal effects have equal texts.
    var canonical: CanonicalJSON {
        WrittenChoice(
            formats: formats,
            floor: QualityFloor(ssimulacra2: minimumSSIMULACRA2),
            maxBytes: maxBytes
        ).json
    }
}

extension KeyKind where Value == [EncodingFormat] {
    /// Formats of which one is taken.
    fileprivate static var candidates: Self {
        // By its name: the section of formats has a key whose value has these in it.
        let section: CanonicalJSON = ["$ref": "#/$defs/format"]
        let schema: CanonicalJSON = [
            "type": "array",
            "items": JSONSchema.any(JSONSchema.words(["avif", "jpeg", "jxl", "png", "webp"]), section),
            "minItems": 2, "uniqueItems": true,
        ]
        return KeyKind("array of words or objects", schema: schema) { node in
            guard let elements = node.elements() else { return nil }
            var formats: [EncodingFormat] = []
            for element in elements {
                guard let format = element.candidate() else { continue }
                if formats.contains(format) { element.report("is a duplicate: remove it") }
                formats.append(format)
            }
            if elements.count < 2 {
                node.report("should have at least two formats, of which one is taken")
            } else if formats.count == elements.count, formats.allSatisfy({ $0.imageFormat == .jpeg }) {
                node.report("has no format for transparent pixels: add \"webp\" or \"png\"")
            }
            return formats
        } write: {
            .array($0.map(\.canonicalCandidate))
        }
    }
}

extension ManifestNode {
    /// The settings that all formats of a choice have together.
    private static let shared: Set<String> = ["quality", "maxBytes", "distance"]

    /// Reads one of the formats of a choice; nil after an error.
    fileprivate func candidate() -> EncodingFormat? {
        guard let read = OutputFormat.read(self) else { return nil }
        guard case .encoded(let format) = read, format.canBeSmallest else {
            let word = read.word == "png" ? "png with a palette" : read.word
            report("\(word) has no floor of quality: choose avif, webp, jpeg, png or jxl")
            return nil
        }
        guard !format.isLossless, case .object = value.kind, let settings = members()?.first?.node,
            case .object = settings.value.kind
        else { return format }
        for (key, node) in settings.members() ?? [] where Self.shared.contains(key) {
            node.report("is one for all formats: give \"quality\" and \"maxBytes\" beside \"formats\"")
        }
        return format
    }
}

extension EncodingFormat {
    /// The format as an element of a choice: without what holds for all of them.
    fileprivate var canonicalCandidate: CanonicalJSON {
        let whole = OutputFormat.encoded(self).canonical
        guard !isLossless, case .object(let format) = whole else { return whole }
        return .object(
            format.mapValues { settings in
                guard case .object(var members) = settings else { return settings }
                for key in ["quality", "maxBytes", "distance"] { members[key] = nil }
                return .object(members)
            }
        )
    }
}
