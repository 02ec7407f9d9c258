import Imaging

/// The steps that decide on size and place: `resize`, `crop`, `pad`, `rotate`, `trim`.
extension Resize {
    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.resize) else { return nil }
        fields.require("width", "height")
        self.init()
        width = fields["width"]?.side()
        height = fields["height"]?.side()
        contentMode = fields["contentMode"]?.choice(ContentMode.self) ?? .aspectFit
        crop = fields["crop"]?.bool() ?? false
        upscale = fields["upscale"]?.bool() ?? false
        filter = fields["filter"]?.choice(ResampleFilter.self) ?? .lanczos3
        linear = fields["linear"]?.bool() ?? false
        if crop, contentMode != .aspectFill || fields["width"] == nil || fields["height"] == nil {
            fields["crop"]?.report(
                "cuts nothing here: it needs \"width\", \"height\" and \"contentMode\": \"aspectFill\""
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
        if let rect = fields["rect"] {
            if fields.keys.count > 1 {
                rect.report("stands alone: remove width, height and gravity, or the rect")
                return nil
            }
            self.init(rect: rect)
            return
        }
        let isSmart = fields["gravity"]?.isSmart ?? false
        let gravity = isSmart ? .center : Gravity.read(fields["gravity"], others: [ManifestNode.smart])
        guard let widthNode = fields["width"], let heightNode = fields["height"] else {
            node.report("needs \"width\" and \"height\", or \"rect\": [x, y, width, height]")
            return nil
        }
        guard let width = widthNode.side(), let height = heightNode.side(), let gravity else { return nil }
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
        fields.require("width", "height")
        self.init()
        width = fields["width"]?.side()
        height = fields["height"]?.side()
        gravity = Gravity.read(fields["gravity"]) ?? .center
        background = fields["background"]?.color() ?? .white
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
        fields.require("degrees", "flip")
        self.init()
        if let node = fields["degrees"], let written = node.integer(-3600...3600) {
            if written % 90 != 0 { node.report("should be a multiple of 90, not \(written)") }
            degrees = (written % 360 + 360) % 360
        }
        flip = fields["flip"]?.choice(Flip.self)
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
        tolerance = fields["tolerance"]?.integer(0...255) ?? tolerance
    }

    var canonical: CanonicalJSON { .object(["tolerance": .integer(tolerance)]) }
}
