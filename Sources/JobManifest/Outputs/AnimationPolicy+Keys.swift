import Imaging

extension AnimationBounds: ManifestObject {
    static let standard = AnimationBounds()
    static let section = ManifestSection(
        "animation",
        title: "Animations",
        about: [
            "An animated GIF, WebP, PNG or AVIF that is kept becomes an animated WebP or GIF; with the format `same`, it becomes "
                + "WebP. The processors run on each frame; `trim` and smart crops are refused. Delays and the number of plays are "
                + "the original's. See [Animations](animation.md).",
            "If the file is larger than the original, its quality is lowered. If that does not help, the output is skipped.",
        ],
        example: .output(
            """
            {
              "name": "clip",
              "processors": [{"resize": {"width": 320}}],
              "format": {"webp": {"quality": 70}},
              "animation": {"keep": true, "maxFrames": 300, "maxDuration": "10s"}
            }
            """
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("keep", "Keeps the animation; `\"first\"` in place of the object keeps its first frame.")
            .reads("`true`", schema: ["const": true], default: true, example: true) { node, _ in
                if node.bool() == false {
                    node.report("should be true: write \"animation\": \"first\" for the first frame")
                }
            } write: { _ in
                true
            },
        KeyName("maxFrames", "The maximum number of frames; those after them are left out.")
            .synonyms(["frames", "limit"])
            .sets(\.maxFrames, as: .integer(1...1_000_000), example: 300),
        KeyName("maxDuration", "The maximum time of one play; frames after it are left out.")
            .synonyms(["duration", "length", "maxTime"])
            .sets(\.maxDuration, as: .duration, example: "10s"),
        KeyName(
            "maxPixels",
            "The maximum number of pixels of all frames of the original together; one with more fails with the error `limits`."
        )
        .synonyms(["pixels", "maxTotalPixels"])
        .sets(\.maxPixels, as: .pixels, example: "500MP"),
        KeyName("allowLarger", "Writes the file even if it is larger than the original.")
            .synonyms(["larger", "allowsLarger", "enlarge"])
            .sets(\.allowsLarger, as: .bool, example: true),
    ]
}

extension KeyKind where Value == AnimationPolicy {
    /// One of two words, or an object with bounds.
    static var animation: Self {
        let words = KeyKind<AnimationWord>.choice(
            AnimationWord.self,
            synonyms: ["all": .keep, "none": .first, "drop": .first, "still": .first]
        )
        return KeyKind(
            "`\"first\"`, `\"keep\"` or object",
            schema: JSONSchema.any(words.schema, JSONSchema.section(AnimationBounds.section))
        ) { node in
            switch node.value.kind {
            case .string: return words.read(node)?.policy
            case .object: return AnimationBounds(object: node).map(AnimationPolicy.keep)
            default:
                node.wrongType("\"first\", \"keep\", or an object with bounds such as \"maxFrames\"")
                return nil
            }
        } write: {
            $0.canonical
        }
    }
}

/// The words for what is shown as a whole.
private enum AnimationWord: String, CaseIterable {
    case first, keep

    var policy: AnimationPolicy {
        switch self {
        case .first: .first
        case .keep: .keep()
        }
    }
}

extension AnimationPolicy {
    /// The policy as a manifest writes it; equal effects have equal texts.
    var canonical: CanonicalJSON {
        switch self {
        case .first: "first"
        case .keep(let bounds): bounds == AnimationBounds() ? "keep" : bounds.json
        }
    }
}

extension OutputFormat {
    /// True if a file of this format can be animated.
    fileprivate var holdsAnimation: Bool {
        switch self {
        case .encoded(let format): [.webp, .gif].contains(format.imageFormat)
        case .same: true
        case .smallest, .original: false
        }
    }
}

extension Output {
    /// The bounds of the animations that it keeps; nil if it shows first frames alone.
    package var keptAnimation: AnimationBounds? { format.holdsAnimation ? animation.bounds : nil }

    /// Reports animations that are to be kept in formats without frames, or by processors that do not keep frames in place.
    static func checkAnimations(_ entries: [CheckedOutputs], _ steps: (Output) -> [Step]) {
        for entry in entries {
            guard let node = entry.animationNode, entry.outputs.contains(where: { $0.animation != .first })
            else { continue }
            let kept = entry.outputs.filter(\.format.holdsAnimation)
            if kept.isEmpty {
                node.report(
                    "is for the formats webp, gif and same: \(entry.outputs[0].format.word) holds no frames that could be kept"
                )
            } else if kept.contains(where: { $0.format.minimumSSIMULACRA2 != nil }) {
                node.report(
                    "cannot be kept with a quality by \"ssimulacra2\", which is measured on one image: give a quality from 0 to 100"
                )
            } else if let step = kept.lazy.flatMap(steps).first(where: \.isPlacedByPixels) {
                node.report(
                    "cannot be kept with \(step.placingName), which would move from frame to frame: remove one of them"
                )
            }
        }
    }
}

extension Step {
    /// True if the pixels decide which part of the image the result shows.
    fileprivate var isPlacedByPixels: Bool {
        switch self {
        case .trim(let trim): trim.isPlacedByPixels
        case .crop(let crop): crop.isPlacedByPixels
        default: false
        }
    }

    /// The processor's name in messages.
    fileprivate var placingName: String {
        if case .crop = self { "a smart crop" } else { "\"trim\"" }
    }
}
