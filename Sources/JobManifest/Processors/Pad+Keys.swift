import Imaging

extension Pad: ManifestObject {
    static let standard = Pad()
    static let section = ManifestSection(
        "pad",
        about: [
            "At least one of `width` and `height` is required. A side that is already longer stays as it is."
        ],
        example: .processor(##"{"pad": {"width": 1024, "height": 1024, "background": "#F0F0F0"}}"##),
        keys: keys,
        anyOf: ["width", "height"]
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("width", "The minimum width.")
            .synonyms(["w"])
            .sets(\.width, as: .side, example: 400),
        KeyName("height", "The minimum height.")
            .synonyms(["h"])
            .sets(\.height, as: .side, example: 400),
        KeyName("gravity", "The position of the image on the canvas.")
            .synonyms(["position", "anchor"])
            .sets(\.gravity, as: .gravity, default: "center", example: "north"),
        KeyName("background", "The colour of the canvas, which may be transparent.")
            .synonyms(["bg", "color", "colour", "backgroundColor"])
            .sets(\.background, as: .color, example: "#00000000"),
    ]
}
