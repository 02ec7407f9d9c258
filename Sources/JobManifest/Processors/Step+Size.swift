import Imaging

/// The steps that decide on size and place: `resize`, `crop`, `pad`, `rotate`, `trim`.
extension Resize {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.resize) else { return nil }
        fields.require(anyOf: ResizeKeys.width, ResizeKeys.height)
        self.init()
        width = fields[ResizeKeys.width]
        height = fields[ResizeKeys.height]
        contentMode = fields[ResizeKeys.contentMode] ?? contentMode
        crop = fields[ResizeKeys.crop] ?? crop
        upscale = fields[ResizeKeys.upscale] ?? upscale
        filter = fields[ResizeKeys.filter] ?? filter
        linear = fields[ResizeKeys.linear] ?? linear
        if crop,
            contentMode != .aspectFill || fields.node(ResizeKeys.width) == nil
                || fields.node(ResizeKeys.height) == nil
        {
            fields.node(ResizeKeys.crop)?.report(
                "has no effect here: it needs \"width\", \"height\" and \"contentMode\": \"aspectFill\""
            )
        }
    }

    var canonical: CanonicalJSON {
        .object([
            "width": width.map(CanonicalJSON.integer) ?? .null,
            "height": height.map(CanonicalJSON.integer) ?? .null,
            "contentMode": .string(contentMode.rawValue),
            "crop": .bool(crop),
            "upscale": .bool(upscale),
            "filter": .string(filter.rawValue),
            "linear": .bool(linear),
        ])
    }
}

extension Crop {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.crop) else { return nil }
        if let rect = fields.node(CropKeys.rect) {
            if fields.count > 1 {
                rect.report(
                    "cannot be combined with other keys: remove width, height and gravity, or the rect"
                )
                return nil
            }
            self.init(rect: rect)
            return
        }
        let isSmart = fields.node(CropKeys.gravity)?.isSmart ?? false
        let gravity = isSmart ? .center : Gravity.read(fields[CropKeys.gravity], others: [ManifestNode.smart])
        guard fields.node(CropKeys.width) != nil, fields.node(CropKeys.height) != nil else {
            node.report("needs \"width\" and \"height\", or \"rect\": [x, y, width, height]")
            return nil
        }
        guard let width = fields[CropKeys.width], let height = fields[CropKeys.height], let gravity else {
            return nil
        }
        self =
            isSmart
            ? .smart(width: width, height: height) : Crop(width: width, height: height, gravity: gravity)
    }

    private init?(rect node: ManifestNode) {
        guard let elements = node.elements() else { return nil }
        guard elements.count == 4 else {
            node.report("should be [x, y, width, height], not \(elements.count) numbers")
            return nil
        }
        let x = elements[0].integer(0...node.reading.shared.maxDimension)
        let y = elements[1].integer(0...node.reading.shared.maxDimension)
        let width = elements[2].side()
        let height = elements[3].side()
        guard let x, let y, let width, let height else { return nil }
        self.init(x: x, y: y, width: width, height: height)
    }

    var canonical: CanonicalJSON {
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

extension Pad {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.pad) else { return nil }
        fields.require(anyOf: PadKeys.width, PadKeys.height)
        self.init()
        width = fields[PadKeys.width]
        height = fields[PadKeys.height]
        gravity = Gravity.read(fields[PadKeys.gravity]) ?? gravity
        background = fields[PadKeys.background] ?? background
    }

    var canonical: CanonicalJSON {
        .object([
            "width": width.map(CanonicalJSON.integer) ?? .null,
            "height": height.map(CanonicalJSON.integer) ?? .null,
            "gravity": gravity.canonical,
            "background": .string(background.hexadecimal),
        ])
    }
}

extension Rotate {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.rotate) else { return nil }
        fields.require(anyOf: RotateKeys.degrees, RotateKeys.flip)
        self.init()
        if let written = fields[RotateKeys.degrees] { degrees = (written % 360 + 360) % 360 }
        flip = fields[RotateKeys.flip]
    }

    var canonical: CanonicalJSON {
        .object([
            "degrees": .integer(degrees), "flip": flip.map { .string($0.rawValue) } ?? .null,
        ])
    }
}

extension Trim {
    init?(_ node: ManifestNode) {
        guard let fields = node.optionalFields(.trim) else { return nil }
        self.init()
        tolerance = fields[TrimKeys.tolerance] ?? tolerance
    }

    var canonical: CanonicalJSON { .object(["tolerance": .integer(tolerance)]) }
}
