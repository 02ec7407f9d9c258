import Imaging

extension Rotate: ManifestObject {
    static let standard = Rotate()
    static let section = ManifestSection(
        "rotate",
        about: [
            "At least one of the keys is required. EXIF orientation has already been applied. The flip follows the rotation."
        ],
        example: .processor(#"{"rotate": {"degrees": 90}}"#),
        keys: keys,
        anyOf: ["degrees", "flip"]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("degrees", "The angle, clockwise.")
            .synonyms(["angle", "rotation"])
            .sets(\.degrees, as: .degrees, example: 90),
        KeyName("flip", "`horizontal` swaps left and right, `vertical` swaps top and bottom.")
            .synonyms(["mirror", "flop"])
            .sets(\.flip, as: .choice(Flip.self), example: "horizontal"),
    ]
}

extension KeyKind where Value == Int {
    /// An angle, clockwise, as one from 0 to 270.
    fileprivate static var degrees: Self {
        .number(
            "multiple of 90, -3600 to 3600",
            schema: ["type": "integer", "multipleOf": 90, "minimum": -3600, "maximum": 3600]
        ) { node in
            guard let written = node.integer(-3600...3600) else { return nil }
            if written % 90 != 0 { node.report("should be a multiple of 90, not \(written)") }
            return (written % 360 + 360) % 360
        }
    }
}
