import Imaging

/// Steps from a manifest: `{"resize": {"width": 320}}`, one key each; each step has a file of its own.
extension Step {
    static func list(_ node: ManifestNode?) -> [Step] {
        node?.elements()?.compactMap(Step.init(_:)) ?? []
    }

    init?(_ node: ManifestNode) {
        guard let fields = node.fields(.processor) else { return nil }
        guard fields.count == 1 else {
            node.report("should have one key, the processor's name, not \(fields.count)")
            return nil
        }
        guard let (name, parameters) = fields.nodes.first, let step = Self.readers[name]?(parameters) else {
            return nil
        }
        self = step
    }

    /// Reads a step from its parameters.
    private typealias Reader = @Sendable (ManifestNode) -> Step?

    /// The readers of the processors, by their keys' names.
    private static let readers: [String: Reader] = [
        ProcessorKeys.resize.name: { Resize($0).map(Step.resize) },
        ProcessorKeys.crop.name: { Crop($0).map(Step.crop) },
        ProcessorKeys.pad.name: { Pad($0).map(Step.pad) },
        ProcessorKeys.circle.name: { Circle($0).map(Step.circle) },
        ProcessorKeys.roundedCorners.name: { RoundedCorners($0).map(Step.roundedCorners) },
        ProcessorKeys.gaussianBlur.name: { GaussianBlur($0).map(Step.gaussianBlur) },
        ProcessorKeys.sharpen.name: { Sharpen($0).map(Step.sharpen) },
        ProcessorKeys.rotate.name: { Rotate($0).map(Step.rotate) },
        ProcessorKeys.grayscale.name: { $0.isPlainStep || $0.fields(.grayscale) != nil ? .grayscale : nil },
        ProcessorKeys.flatten.name: { Flatten($0).map(Step.flatten) },
        ProcessorKeys.trim.name: { Trim($0).map(Step.trim) },
        ProcessorKeys.adjust.name: { Adjust($0).map(Step.adjust) },
        ProcessorKeys.watermark.name: { Step(watermark: $0) },
    ]
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
        isPlainStep ? Fields(section: section, owner: self, nodes: [:], count: 0) : fields(section)
    }

    /// An opaque colour.
    func opaqueColor() -> RGBColor? {
        guard let color = color() else { return nil }
        if color.alpha != 255 { report("should be opaque: remove its alpha") }
        return color.opaque
    }
}
