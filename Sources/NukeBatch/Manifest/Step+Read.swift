import Imaging

/// Steps from a manifest: `{"resize": {"width": 320}}`, one key each.
extension Step {
    static func list(_ node: ManifestNode?) -> [Step] {
        node?.elements()?.compactMap(Step.init) ?? []
    }

    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.processor) else { return nil }
        guard fields.keys.count == 1 else {
            node.report("a processor is an object with one key, its name, not with \(fields.keys.count)")
            return nil
        }
        let step: Step? =
            if let node = fields["resize"] {
                Resize(node).map(Step.resize)
            } else if let node = fields["crop"] {
                Crop(node).map(Step.crop)
            } else if let node = fields["rotate"] {
                Rotate(node).map(Step.rotate)
            } else if let node = fields["grayscale"] {
                Self.grayscale(node)
            } else {
                nil
            }
        guard let step else { return nil }
        self = step
    }

    /// `{"grayscale": {}}`, or `true`, since there is nothing to say of it.
    private static func grayscale(_ node: ManifestNode) -> Step? {
        if case .bool(true) = node.value.kind { return .grayscale }
        return node.fields(.grayscale) == nil ? nil : .grayscale
    }
}

extension ManifestNode {
    /// A side of an image in pixels, within what `limits` allows.
    fileprivate func side() -> Int? { integer(1...reading.maxDimension) }
}

extension Resize {
    fileprivate init?(_ node: ManifestNode) {
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
}

extension Crop {
    fileprivate init?(_ node: ManifestNode) {
        guard let fields = node.fields(.crop) else { return nil }
        if let rect = fields["rect"] {
            if fields.keys.count > 1 {
                rect.report("stands alone: remove width, height and gravity, or the rect")
                return nil
            }
            self.init(rect: rect)
            return
        }
        let gravity = fields["gravity"].map(Gravity.init(_:)) ?? .center
        guard let widthNode = fields["width"], let heightNode = fields["height"] else {
            node.report("needs \"width\" and \"height\", or \"rect\": [x, y, width, height]")
            return nil
        }
        guard let width = widthNode.side(), let height = heightNode.side(), let gravity else { return nil }
        self.init(width: width, height: height, gravity: gravity)
    }

    private init?(rect node: ManifestNode) {
        guard let elements = node.elements() else { return nil }
        guard elements.count == 4 else {
            node.report("should be [x, y, width, height], not \(elements.count) numbers")
            return nil
        }
        let x = elements[0].integer(0...node.reading.maxDimension)
        let y = elements[1].integer(0...node.reading.maxDimension)
        let width = elements[2].side()
        let height = elements[3].side()
        guard let x, let y, let width, let height else { return nil }
        self.init(x: x, y: y, width: width, height: height)
    }
}

extension Crop.Gravity {
    fileprivate init?(_ node: ManifestNode) {
        guard case .string(let word) = node.value.kind else {
            guard let fields = node.fields(.gravity) else { return nil }
            guard let xNode = fields["x"], let yNode = fields["y"] else {
                node.report("needs \"x\" and \"y\", each from 0 to 1")
                return nil
            }
            guard let x = xNode.number(0...1), let y = yNode.number(0...1) else { return nil }
            self = .point(x: x, y: y)
            return
        }
        if let named = Self.named[word] {
            self = named
            return
        }
        node.report(noneOf: Self.named.keys, later: NotSupportedYet.gravities, word)
        return nil
    }
}

extension Rotate {
    fileprivate init?(_ node: ManifestNode) {
        guard let fields = node.fields(.rotate) else { return nil }
        fields.require("degrees", "flip")
        self.init()
        if let node = fields["degrees"], let written = node.integer(-3600...3600) {
            if written % 90 != 0 { node.report("should be a multiple of 90, not \(written)") }
            degrees = (written % 360 + 360) % 360
        }
        flip = fields["flip"]?.choice(Flip.self)
    }
}
