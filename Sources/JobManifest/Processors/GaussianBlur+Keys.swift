import Imaging

extension GaussianBlur: ManifestObject {
    static let standard = GaussianBlur()
    static let section = ManifestSection(processor: "gaussianBlur", #"{"radius": 4}"#, keys: keys)

    static let keys: [BoundKey<Self>] = [
        KeyName("radius", "The radius in pixels.")
            .synonyms(["sigma", "amount", "size"])
            .sets(\.radius, as: .number(0...GaussianBlur.maxRadius), example: 4)
    ]
}
