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
                ]
            ]
        ]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName(
            "distance",
            "The visible difference, in Butteraugli's units: higher is smaller; 1 is hard to see, 0 is without loss."
        )
        .synonyms(["quality", "q"])
        .sets(\.distance, as: .number(0...25), example: 1.5),
        KeyName("maxBytes", "The maximum size of a file; `distance` is raised until it fits.")
            .synonyms(["maxSize", "maxFileSize", "targetSize", "sizeLimit"])
            .sets(\.maxBytes, as: .size, example: "200kB").addedLater,
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
        guard let node = fields.node("maxBytes"), lossless || distance == 0 else { return }
        let other = lossless ? "\"lossless\"" : "a distance of 0"
        node.report("cannot be combined with \(other), which allows no loss: remove one of them")
    }
}
