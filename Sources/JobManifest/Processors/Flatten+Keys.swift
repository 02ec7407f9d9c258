import Imaging

extension Flatten: ManifestObject {
    static let standard = Flatten()
    static let section = ManifestSection(processor: "flatten", ##"{"background": "#1E90FF"}"##, keys: keys)

    static let keys: [BoundKey<Self>] = [
        KeyName("background", "The colour under transparent pixels.")
            .synonyms(["bg", "color", "colour", "backgroundColor"])
            .sets(\.background, as: .opaqueColor, example: "#1E90FF")
    ]
}
