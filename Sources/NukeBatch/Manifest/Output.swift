public import Imaging

/// What is made of every item: one image, or the original's bytes, under one path.
public struct Output: Sendable {
    /// Unique among the outputs.
    public var name = "output"
    /// Applied after those of the manifest and of the source.
    public var processors: [Step] = []
    /// What it is encoded as.
    public var format = OutputFormat.same
    /// Where it is written, below the destination.
    public var path: OutputPath
    /// What is done with a file that is there although the state does not know it.
    public var existing = Existing.replace
    /// What it keeps of the original beside the pixels.
    public var metadata = MetadataPolicy.strip
    /// Which items it is made of.
    public var condition = OutputCondition()
    /// What transparent pixels are laid over where the format has no alpha.
    public var background = RGBColor.white

    /// What is done with a file that is there although the state does not know it.
    public enum Existing: String, Sendable, CaseIterable {
        /// It is written over.
        case replace
        /// It stays, and the output is skipped with the reason `exists`.
        case keep
    }

    /// Everything that shapes the output's bytes and place, as canonical JSON: equal text means equal work.
    ///
    /// `steps` are all that lead to it; `destination` is as the manifest writes it, before its variables are expanded.
    func recipe(_ steps: [Step], destination: String) -> String {
        CanonicalJSON.object([
            "processors": .array(steps.map(\.canonical)),
            "format": format.canonical,
            "metadata": .string(metadata.rawValue),
            "background": .array(
                [background.red, background.green, background.blue].map { .integer(Int($0)) }
            ),
            "when": condition.canonical,
            "path": .string(path.template),
            "destination": .string(destination),
        ]).text
    }
}

/// Which items an output is made of; of the others it is skipped.
public struct OutputCondition: Sendable, Hashable {
    /// The sides of the original at least, in pixels, upright.
    public var minWidth, minHeight: Int?
    /// The longer side divided by the shorter one at most.
    public var maxAspect: Double?
    /// The formats of the original; empty for all.
    public var types: Set<ImageFormat> = []

    /// Makes a condition that every item meets.
    public init() {}

    var canonical: CanonicalJSON {
        .object([
            "minWidth": minWidth.map(CanonicalJSON.integer) ?? .null,
            "minHeight": minHeight.map(CanonicalJSON.integer) ?? .null,
            "maxAspect": maxAspect.map(CanonicalJSON.number) ?? .null,
            "types": .array(types.map(\.rawValue).sorted().map(CanonicalJSON.string)),
        ])
    }
}
