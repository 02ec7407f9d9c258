import Imaging

/// Steps from a manifest: `{"resize": {"width": 320}}`, one key each; each step has a file of its own.
extension Step {
    static func list(_ node: ManifestNode?) -> [Step] {
        node?.elements()?.compactMap(Step.init(_:)) ?? []
    }

    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.processor) else { return nil }
        guard fields.keys.count == 1 else {
            node.report("a processor is an object with one key, its name, not with \(fields.keys.count)")
            return nil
        }
        guard let (name, parameters) = fields.nodes.first, let step = Self.readers[name]?(parameters) else {
            return nil
        }
        self = step
    }

    /// Reads a step from its parameters.
    private typealias Reader = @Sendable (ManifestNode) -> Step?

    /// The processors by name: what a manifest may say, and what reads it.
    private static let readers: [String: Reader] = [
        "resize": { Resize($0).map(Step.resize) },
        "crop": { Crop($0).map(Step.crop) },
        "pad": { Pad($0).map(Step.pad) },
        "circle": { Circle($0).map(Step.circle) },
        "roundedCorners": { RoundedCorners($0).map(Step.roundedCorners) },
        "gaussianBlur": { GaussianBlur($0).map(Step.gaussianBlur) },
        "sharpen": { Sharpen($0).map(Step.sharpen) },
        "rotate": { Rotate($0).map(Step.rotate) },
        "grayscale": { $0.isPlainStep || $0.fields(.grayscale) != nil ? .grayscale : nil },
        "flatten": { Flatten($0).map(Step.flatten) },
        "trim": { Trim($0).map(Step.trim) },
        "adjust": { Adjust($0).map(Step.adjust) },
        "watermark": { Step(watermark: $0) },
    ]
    /// The names of all processors.
    static let names: Set<String> = Set(readers.keys)
}

extension ManifestNode {
    /// A side of an image in pixels, within what `limits` allows.
    func side() -> Int? { integer(1...reading.shared.maxDimension) }

    /// `{"grayscale": true}`: a step of which nothing more is said.
    var isPlainStep: Bool {
        if case .bool(true) = value.kind { return true }
        return false
    }

    /// The parameters of a step all of which can be left out: none at all for `true`.
    func optionalFields(_ section: ManifestSection) -> Fields? {
        isPlainStep ? Fields(owner: self, nodes: [:], keys: []) : fields(section)
    }

    /// A colour that lets nothing through.
    func opaqueColor() -> RGBColor? {
        guard let color = color() else { return nil }
        if color.alpha != 255 { report("lets through what it is laid under: leave its alpha out") }
        return color.opaque
    }
}
