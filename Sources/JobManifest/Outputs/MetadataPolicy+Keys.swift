import Imaging

/// The classes of metadata that an output keeps and drops, as a manifest's object names them.
package struct MetadataChoice: Sendable {
    /// The names of all classes.
    package static let names = MetadataClass.allCases.map(\.rawValue)

    /// The classes to keep; nil for all that are not dropped.
    var keep: Set<MetadataClass>?
    /// The classes to drop, of those to keep.
    var drop: Set<MetadataClass>?

    /// The policy that has its effect.
    var policy: MetadataPolicy {
        let dropped = drop ?? []
        return keep.map { .only($0.subtracting(dropped)) } ?? .except(dropped)
    }
}

extension MetadataChoice: ManifestObject {
    static let standard = MetadataChoice()
    static let section = ManifestSection(
        "metadata",
        title: "Classes of metadata",
        about: [
            "`keep` alone keeps these classes, `drop` alone keeps all others, and both together keep what `keep` names without "
                + "what `drop` names. The classes are `rights`, `date`, `camera`, `identifiers` (serial numbers and owners), "
                + "`description`, `people` and `location`. [Metadata](metadata.md) lists the fields of each.",
            "What belongs to no class always goes: maker notes, thumbnails, histories of edits, and all that is unknown, since it "
                + "may hold what is to go. The fields of IPTC become XMP. The file gets an sRGB profile.",
        ],
        example: .output(
            """
            {
              "name": "web",
              "processors": [{"resize": {"width": 1280}}],
              "format": "jpeg",
              "metadata": {"keep": ["rights", "date", "camera", "description"], "drop": ["location"]}
            }
            """
        ),
        keys: keys,
        anyOf: ["keep", "drop"]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("keep", "The classes to keep.")
            .synonyms(["only", "include", "retain", "allow"])
            .sets(\.keep, as: .classes, default: .described("all classes"), example: ["rights", "date"]),
        KeyName("drop", "The classes to drop, of those to keep.")
            .synonyms(["strip", "remove", "exclude", "except", "without"])
            .sets(\.drop, as: .classes, example: ["location"]),
    ]

    func check(_ fields: Fields) {
        // An empty `keep` has its own error.
        guard policy == .only([]), keep?.isEmpty != true, let node = fields.node("drop") else { return }
        node.report("leaves no class: drop fewer, or write \"metadata\": \"strip\"")
    }
}

extension KeyKind where Value == Set<MetadataClass> {
    /// Classes of metadata, at least one.
    fileprivate static var classes: Self {
        let names = KeyKind<Set<MetadataClass>>.set(
            of: .choice(
                MetadataClass.self,
                synonyms: [
                    "copyright": .rights, "creator": .rights, "artist": .rights, "licence": .rights,
                    "license": .rights, "dates": .date, "time": .date, "exposure": .camera, "lens": .camera,
                    "device": .camera, "serial": .identifiers, "serialNumber": .identifiers,
                    "owner": .identifiers, "caption": .description, "title": .description,
                    "keywords": .description, "headline": .description, "persons": .people,
                    "faces": .people, "gps": .location, "place": .location, "city": .location,
                ]
            ),
            "array of classes"
        )
        var schema = names.schema
        if case .object(let members) = schema { schema = .object(members.merging(["minItems": 1]) { $1 }) }
        return KeyKind("array of classes", schema: schema) { node in
            guard let classes = names.read(node) else { return nil }
            if case .array(let elements) = node.value.kind, elements.isEmpty {
                node.report("is empty: name at least one class, or leave out the key")
                return nil
            }
            return classes
        } write: {
            names.write($0)
        }
    }
}

extension KeyKind where Value == MetadataPolicy {
    /// One of the three words, or an object with classes.
    static var metadata: Self {
        let words = KeyKind<MetadataWord>.choice(
            MetadataWord.self,
            synonyms: [
                "none": .strip, "remove": .strip, "all": .keep, "preserve": .keep, "rights": .copyright,
            ]
        )
        return KeyKind(
            "`\"strip\"`, `\"keep\"`, `\"copyright\"` or object",
            schema: JSONSchema.any(words.schema, JSONSchema.section(MetadataChoice.section))
        ) { node in
            switch node.value.kind {
            case .string: return words.read(node)?.policy
            case .object: return MetadataChoice(object: node)?.policy
            default:
                node.wrongType("\"strip\", \"keep\", \"copyright\", or an object with \"keep\" or \"drop\"")
                return nil
            }
        } write: {
            $0.canonical
        }
    }
}

/// The words for what is kept as a whole.
private enum MetadataWord: String, CaseIterable {
    case strip, keep, copyright

    var policy: MetadataPolicy {
        switch self {
        case .strip: .strip
        case .keep: .keep
        case .copyright: .copyright
        }
    }
}

extension MetadataPolicy {
    /// The policy as a manifest writes it; equal effects have equal texts.
    var canonical: CanonicalJSON {
        switch self {
        case .strip: "strip"
        case .keep: "keep"
        case .copyright: "copyright"
        case .only(let classes): ["keep": .array(classes.map(\.rawValue).sorted().map(CanonicalJSON.string))]
        }
    }
}
