import Imaging

/// The step `watermark`.
extension Step {
    init?(watermark node: ManifestNode) {
        guard let fields = node.fields(.watermark) else { return nil }
        let watermark = fields.node(WatermarkKeys.image)?.watermarkImage()
        let gravity = Gravity.read(fields[WatermarkKeys.gravity], default: .southEast)
        let scale = fields[WatermarkKeys.scale]
        let opacity = fields[WatermarkKeys.opacity] ?? WatermarkKeys.opacity.standard
        let margin = fields[WatermarkKeys.margin] ?? WatermarkKeys.margin.standard
        let tile = fields[WatermarkKeys.tile] ?? WatermarkKeys.tile.standard
        guard let watermark, let gravity else { return nil }
        self = .watermark(
            watermark,
            Watermark.Placement(gravity: gravity, scale: scale, opacity: opacity, margin: margin, tile: tile)
        )
    }
}

extension Watermark.Placement {
    /// A file counts by its bytes, wherever it is: another one makes other outputs.
    func canonical(_ watermark: WatermarkImage) -> CanonicalJSON {
        .object([
            "image": .string(watermark.identity),
            "gravity": gravity.canonical,
            "scale": scale.map(CanonicalJSON.number) ?? .null,
            "opacity": .number(opacity),
            "margin": .integer(margin),
            "tile": .bool(tile),
        ])
    }
}
