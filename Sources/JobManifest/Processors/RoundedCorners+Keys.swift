import Imaging

extension RoundedCorners: ManifestObject {
    static let standard = RoundedCorners(radius: 0)
    static let section = ManifestSection(processor: "roundedCorners", #"{"radius": 16}"#, keys: keys)

    static let keys: [BoundKey<Self>] = [
        KeyName("radius", "The radius, clamped to half the shorter side.")
            .synonyms(["size", "r"])
            .sets(\.radius, as: .length(from: 0), default: .required, example: 16),
        KeyName("border", "A line along the edge; see [Borders](#borders).")
            .synonyms(["stroke", "outline"])
            .sets(\.border, as: .object(Border.self), example: ["color": "#FFFFFF"]),
    ]
}
