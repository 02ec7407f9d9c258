/// The quality of an encoder as a manifest writes it.
enum WrittenQuality: Sendable {
    /// A number of the format itself.
    case number(Int)
    /// The score of SSIMULACRA2 that each file has at least.
    case atLeast(ssimulacra2: Double)
}

/// The settings of an encoder that loses something.
protocol QualityOptions: ManifestObject {
    var quality: Int { get set }
    var minimumSSIMULACRA2: Double? { get set }
}

extension QualityOptions {
    /// The quality, or the likeness for which it is searched.
    var writtenQuality: WrittenQuality {
        get { minimumSSIMULACRA2.map { .atLeast(ssimulacra2: $0) } ?? .number(quality) }
        set {
            switch newValue {
            case .number(let number): (quality, minimumSSIMULACRA2) = (number, nil)
            case .atLeast(let score): minimumSSIMULACRA2 = score
            }
        }
    }
}

/// The likeness that a manifest's object asks of each file.
struct QualityFloor: Sendable {
    /// The scores that can be asked for: 30 is of low, 50 of medium, 70 of high quality, and 90 cannot be told from the
    /// original, by the authors of SSIMULACRA2 2.1.
    static let scores = 1.0...100.0

    var ssimulacra2: Double?
}

extension QualityFloor: ManifestObject {
    static let standard = QualityFloor()
    static let section = ManifestSection(
        "quality",
        title: "Quality by likeness",
        about: [
            "Each file gets the lowest quality that looks at least as much like its image as `ssimulacra2` asks. It takes about "
                + "three encodes on average and at most six. Files whose best quality is below that keep all of their colour (4:4:4). "
                + "If no quality is enough, the best file is written, and the output's `shortfall` says so. `maxBytes` is "
                + "obeyed first. See [Quality](quality.md)."
        ],
        example: .output(
            #"{"format": {"jpeg": {"quality": {"ssimulacra2": 70}}}, "processors": [{"resize": {"width": 640}}]}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName(
            "ssimulacra2",
            "The least score of SSIMULACRA2: 50 is medium quality, 70 high, 90 as good as the original."
        )
        .synonyms(["ssimulacra", "ssim", "target", "minimum", "min", "floor", "score"])
        .sets(\.ssimulacra2, as: .number(scores), default: .required, example: 70)
    ]
}

extension KeyKind where Value == QualityFloor {
    /// The likeness of each file, where the quality is no number; `remedy` ends the error about one.
    static func floor(_ remedy: String) -> Self {
        KeyKind("object", schema: JSONSchema.section(QualityFloor.section)) { node in
            guard case .object = node.value.kind else {
                node.wrongType("an object such as {\"ssimulacra2\": 70}\(remedy)")
                return nil
            }
            return QualityFloor(object: node)
        } write: {
            $0.json
        }
    }
}

extension KeyKind where Value == WrittenQuality {
    /// A quality within `range`, or an object with the likeness of each file.
    static func quality(_ range: ClosedRange<Int>) -> Self {
        let number = KeyKind<Int>.integer(range)
        return KeyKind(
            "integer, \(range.lowerBound) to \(range.upperBound), or object",
            schema: JSONSchema.any(number.schema, JSONSchema.section(QualityFloor.section))
        ) { node in
            switch node.value.kind {
            case .number: return number.read(node).map { .number($0) }
            case .object: return QualityFloor(object: node)?.ssimulacra2.map { .atLeast(ssimulacra2: $0) }
            default:
                node.wrongType(
                    "a number from \(range.lowerBound) to \(range.upperBound), or an object such as {\"ssimulacra2\": 70}"
                )
                return nil
            }
        } write: { quality in
            switch quality {
            case .number(let number): .integer(number)
            case .atLeast(let score): ["ssimulacra2": .number(score)]
            }
        }
    }
}
