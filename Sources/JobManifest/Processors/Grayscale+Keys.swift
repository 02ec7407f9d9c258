import Imaging

extension Grayscale: ManifestObject {
    static let standard = Grayscale()
    static let section = ManifestSection(
        "grayscale",
        about: ["`grayscale` keeps luma only. It has no settings."],
        example: .processor(#"{"grayscale": true}"#),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = []
}
