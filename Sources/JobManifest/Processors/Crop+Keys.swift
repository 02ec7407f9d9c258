import Imaging

extension Crop {
    static let section = ManifestSection(
        "crop",
        about: [
            "`crop` needs `width` and `height`, or `rect` alone. A side longer than the image's is clamped to it."
        ],
        example: .processor(#"{"crop": {"width": 320, "height": 240, "gravity": "smart"}}"#),
        keys: [width, height, gravity, rect],
        rules: [
            "oneOf": [
                ["required": ["rect"], "maxProperties": 1],
                ["required": ["width", "height"], "not": ["required": ["rect"]]],
            ]
        ]
    )

    private static let width = KeyName("width", "The width.")
        .synonyms(["w", "size"])
        .holds(.side, example: 320)
    private static let height = KeyName("height", "The height.")
        .synonyms(["h"])
        .holds(.side, example: 320)
    private static let gravity = KeyName(
        "gravity",
        "The part to keep; `smart` is attention-based smart crop."
    )
    .synonyms(["position", "anchor", "strategy", "focus"])
    .holds(
        .custom("gravity", schema: KeyKind.schema(others: [ManifestNode.smart])),
        default: "center",
        example: "smart"
    )
    private static let rect = KeyName(
        "rect",
        "The part to keep, in pixels from the top left corner; excludes the other keys."
    )
    .synonyms(["area", "region", "box", "x", "y", "left", "top"])
    .holds(
        .custom(
            "array `[x, y, width, height]`",
            schema: [
                "type": "array", "prefixItems": [offset, offset, JSONSchema.side, JSONSchema.side],
                "minItems": 4, "maxItems": 4,
            ]
        ),
        example: [0, 0, 640, 480]
    )

    private static let offset = JSONSchema.integer(0...LimitSettings.largestDimension)

    init?(_ node: ManifestNode) {
        guard let fields = node.fields(Self.section) else { return nil }
        if let rect = fields.node(Self.rect) {
            if fields.count > 1 {
                rect.report(
                    "cannot be combined with other keys: remove width, height and gravity, or the rect"
                )
                return nil
            }
            self.init(rect: rect)
            return
        }
        let isSmart = fields[Self.gravity]?.isSmart ?? false
        let gravity = isSmart ? .center : Gravity.read(fields[Self.gravity], others: [ManifestNode.smart])
        guard fields.node(Self.width) != nil, fields.node(Self.height) != nil else {
            node.report("needs \"width\" and \"height\", or \"rect\": [x, y, width, height]")
            return nil
        }
        guard let width = fields[Self.width], let height = fields[Self.height], let gravity else {
            return nil
        }
        self =
            isSmart
            ? .smart(width: width, height: height) : Crop(width: width, height: height, gravity: gravity)
    }

    private init?(rect node: ManifestNode) {
        guard let elements = node.elements() else { return nil }
        guard elements.count == 4 else {
            node.report("should be [x, y, width, height], not \(Quantity.count(elements.count, "number"))")
            return nil
        }
        let x = elements[0].integer(0...node.reading.shared.imageLimits.maxDimension)
        let y = elements[1].integer(0...node.reading.shared.imageLimits.maxDimension)
        let width = elements[2].side()
        let height = elements[3].side()
        guard let x, let y, let width, let height else { return nil }
        self.init(x: x, y: y, width: width, height: height)
    }

    var json: CanonicalJSON {
        func sized(_ size: PixelSize, _ gravity: CanonicalJSON) -> CanonicalJSON {
            .object(["width": .integer(size.width), "height": .integer(size.height), "gravity": gravity])
        }
        return switch area {
        case .size(let size, let gravity): sized(size, gravity.canonical)
        case .smart(let size): sized(size, .string(ManifestNode.smart))
        case .rect(let x, let y, let width, let height):
            .object(["rect": .array([x, y, width, height].map(CanonicalJSON.integer))])
        }
    }
}

extension KeyKind where Value == Crop {
    static var crop: Self {
        KeyKind("object", schema: JSONSchema.section(Crop.section), read: Crop.init, write: \.json)
    }
}
