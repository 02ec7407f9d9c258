import Imaging

extension Border: ManifestObject {
    static let standard = Border(color: .white)
    static let section = ManifestSection(
        "border",
        title: "Borders",
        about: ["`circle` and `roundedCorners` take a `border` with these keys."],
        example: .processor(
            ##"{"roundedCorners": {"radius": 16, "border": {"color": "#1E90FF", "width": 2}}}"##
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("color", "The line's colour.")
            .synonyms(["colour"])
            .sets(\.color, as: .color, default: .required, example: "#1E90FF"),
        KeyName("width", "The line's width.")
            .synonyms(["size", "thickness"])
            .sets(\.width, as: .length(from: 0.1), example: 2),
    ]
}
