import Imaging

/// A watermark of a manifest: its image and its place.
struct WatermarkStep: Sendable {
    var image: WatermarkImage?
    var placement = Watermark.Placement()
}

extension WatermarkStep: ManifestObject {
    static let standard = WatermarkStep()
    static let section = ManifestSection(
        "watermark",
        example: .processor(
            #"{"watermark": {"image": "photos/coffee.png", "gravity": "southEast", "scale": 0.2, "opacity": 0.6, "margin": 8}}"#
        ),
        keys: keys
    )

    static let keys: [BoundKey<Self>] = [
        KeyName("image", "The image to overlay, by path or URL.")
            .synonyms(["file", "path", "url", "src"])
            .sets(\.image, as: .watermark, default: .required, example: "logo.png"),
        KeyName("gravity", "The watermark's position; with `tile`, the position of the first copy.")
            .synonyms(["position", "anchor"])
            .sets(\.placement.gravity, as: .gravity, example: "southWest"),
        KeyName("scale", "The watermark's longer side as a fraction of the image's shorter side.")
            .synonyms(["size", "width"])
            .sets(
                \.placement.scale,
                as: .number(0.001...1),
                default: .described("the watermark's own size"),
                example: 0.2
            ),
        KeyName("opacity", "The watermark's opacity.")
            .synonyms(["alpha", "transparency"])
            .sets(\.placement.opacity, as: .number(0...1), example: 0.6),
        KeyName("margin", "The distance from the edges, and between tiles.")
            .synonyms(["padding", "offset"])
            .sets(\.placement.margin, as: .distance, example: 16),
        KeyName("tile", "Repeats the watermark across the whole image.")
            .synonyms(["repeat"])
            .sets(\.placement.tile, as: .bool, example: true),
    ]
}

extension KeyKind where Value == WatermarkImage {
    /// A file counts by its bytes, wherever it is: another one makes other outputs.
    fileprivate static var watermark: Self {
        KeyKind("string", schema: JSONSchema.string) {
            $0.watermarkImage()
        } write: {
            .string($0.identity)
        }
    }
}

extension Step {
    /// A watermark; nil without its image.
    static func watermark(_ watermark: WatermarkStep) -> Step? {
        watermark.image.map { .watermark($0, watermark.placement) }
    }
}
