import Imaging

/// The step `watermark`.
extension Step {
    init?(watermark node: ManifestNode) {
        guard let fields = node.fields(.watermark) else { return nil }
        fields.require("image")
        let picture = fields["image"]?.picture()
        let gravity = Gravity.read(fields["gravity"], default: .southEast)
        let scale = fields["scale"]?.number(0.001...1)
        let opacity = fields["opacity"]?.number(0...1) ?? 1
        let margin = fields["margin"]?.integer(0...node.reading.shared.maxDimension) ?? 0
        let tile = fields["tile"]?.bool() ?? false
        guard let picture, let gravity else { return nil }
        self = .watermark(
            picture,
            Watermark.Placement(gravity: gravity, scale: scale, opacity: opacity, margin: margin, tile: tile)
        )
    }
}

extension Watermark.Placement {
    /// A file counts by its bytes, wherever it is: another one makes other outputs.
    func canonical(_ picture: ManifestPicture) -> CanonicalJSON {
        .object([
            "image": .string(picture.identity),
            "gravity": gravity.canonical,
            "scale": scale.map(CanonicalJSON.number) ?? .null,
            "opacity": .number(opacity),
            "margin": .integer(margin),
            "tile": .bool(tile),
        ])
    }
}
