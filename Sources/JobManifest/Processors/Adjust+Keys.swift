import Imaging

extension Adjust: ManifestObject {
    static let standard = Adjust()
    static let section = ManifestSection(
        "adjust",
        about: ["At least one of the keys is required."],
        example: .processor(#"{"adjust": {"contrast": 1.1, "saturation": 1.2}}"#),
        keys: keys,
        anyOf: ["brightness", "contrast", "saturation", "gamma"]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("brightness", "Added to every channel, where 1 is white.")
            .sets(\.brightness, as: .number(-1...1), example: 0.1),
        KeyName("contrast", "The factor of the distance from mid-grey.")
            .sets(\.contrast, as: .number(0...10), example: 1.2),
        KeyName("saturation", "The factor of the distance from grey; 0 removes colour.")
            .sets(\.saturation, as: .number(0...10), example: 1.2),
        KeyName("gamma", "Gamma correction; above 1 brightens mid-tones.")
            .sets(\.gamma, as: .number(0.1...10), example: 2.2),
    ]
}
