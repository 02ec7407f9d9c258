import Imaging

extension JPEGXLOptions: ManifestObject {
    static let standard = JPEGXLOptions()
    static let section = ManifestSection(
        "jxl",
        title: "JPEG XL settings",
        example: .output(#"{"format": {"jxl": {"distance": 1.5, "effort": 5}}}"#),
        keys: keys,
        rules: [
            "not": [
                "anyOf": [
                    ["properties": ["lossless": ["const": true]], "required": ["lossless", "maxBytes"]],
                    ["properties": ["lossless": ["const": true]], "required": ["lossless", "distance"]],
                    ["properties": ["distance": ["const": 0]], "required": ["distance", "maxBytes"]],
                    ["properties": ["lossless": ["const": true]], "required": ["lossless", "quality"]],
                    ["required": ["distance", "quality"]],
                ]
            ]
        ]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName(
            "distance",
            "The visible difference, in Butteraugli's units: higher is smaller; 1 is hard to see, 0 is without loss."
        )
        .synonyms(["q"])
        .sets(as: .number(0...25), default: .value(.number(standard.distance)), example: 1.5) {
            $0.lossless || $0.minimumSSIMULACRA2 != nil ? nil : $0.distance
        } set: {
            $0.distance = $1
        },
        KeyName(
            "quality",
            "In place of `distance`, the [likeness](#quality-by-likeness) for which it is searched."
        )
        .sets(as: .floor("; for a number, give \"distance\""), example: ["ssimulacra2": 70]) {
            $0.minimumSSIMULACRA2.map { QualityFloor(ssimulacra2: $0) }
        } set: {
            $0.minimumSSIMULACRA2 = $1.ssimulacra2
        }.addedLater,
        .maxBytes(\.maxBytes, change: "`distance` is raised"),
        KeyName("lossless", "Encodes without loss.")
            .sets(\.lossless, as: .bool, example: true),
        KeyName("effort", "Effort of compression; higher is smaller and slower.")
            .synonyms(["speed", "compression"])
            .sets(\.effort, as: .integer(1...9), example: 5),
    ]

    func check(_ fields: Fields) {
        if lossless, let node = fields.node("distance") {
            node.report("cannot be combined with \"lossless\", which has none: remove one of them")
        }
        if let node = fields.node("quality"), minimumSSIMULACRA2 != nil,
            let other = ["distance", "lossless"].first(where: { fields.node($0) != nil }),
            other == "distance" || lossless
        {
            node.report("cannot be combined with \"\(other)\": remove one of them")
        }
        guard let node = fields.node("maxBytes"), lossless || distance == 0 else { return }
        let other = lossless ? "\"lossless\"" : "a distance of 0"
        node.report("cannot be combined with \(other), which allows no loss: remove one of them")
    }
}
