import Imaging

extension Circle: ManifestObject {
    static let standard = Circle()
    static let section = ManifestSection(
        "circle",
        example: .processor(##"{"circle": {"border": {"color": "#FFFFFF", "width": 4}}}"##),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("border", "A line along the edge; see [Borders](#borders).")
            .synonyms(["stroke", "outline"])
            .sets(\.border, as: .object(Border.self), example: ["color": "#FFFFFF"])
    ]
}
