public import Imaging

/// An output of every item: one image, or a copy of the original's bytes.
public struct Output: Sendable {
    /// The name, unique among the outputs.
    public var name = OutputKeys.name.standard
    /// The position in the manifest's `outputs` of the entry that it comes from, from 0.
    package var entry = 0
    /// The processors that run after those of the manifest and of the source.
    public var processors: [Step] = []
    /// The format to encode.
    public var format = OutputFormat.same
    /// The path below the destination.
    public var path: OutputPath
    /// The treatment of a file that nuke-batch did not write.
    public var existing = OutputKeys.existing.standard
    /// The treatment of a path that an earlier row already has.
    public var onCollision = OutputKeys.onCollision.standard
    /// The metadata to keep.
    public var metadata = OutputKeys.metadata.standard
    /// The conditions on the original.
    public var condition = OutputCondition()
    /// The colour under transparent pixels in a format without alpha.
    public var background = OutputKeys.background.standard
    /// The attributes of the object, for a destination in a bucket.
    public var object = ObjectSettings()

    /// The treatment of a file that nuke-batch did not write.
    public enum Existing: String, Sendable, CaseIterable {
        /// Overwrites it.
        case replace
        /// Skips the output with the reason `exists`.
        case keep
    }

    /// The treatment of an output whose path belongs to an earlier row; everything else is made.
    public enum CollisionPolicy: String, Sendable, CaseIterable {
        /// Fails it as `collision`.
        case fail
        /// Skips it.
        case first
        /// Refuses the whole plan.
        case error
    }

    /// Everything that shapes the output's bytes, attributes and place, by the manifest's keys: equal values mean equal work.
    ///
    /// `steps` are all that lead to it; `destination` is as the manifest writes it, before its variables are expanded.
    func recipe(_ steps: [Step], destination: String) -> [String: CanonicalJSON] {
        var parts: [String: CanonicalJSON] = [
            "processors": .array(steps.map(\.canonical)),
            "format": format.canonical,
            "metadata": .string(metadata.rawValue),
            "background": .array(
                [background.red, background.green, background.blue].map { .integer(Int($0)) }
            ),
            "when": condition.canonical,
            "path": .string(path.identity),
            "destination": .string(destination),
        ]
        // Added later: without it, the text is what it was. Stored attributes change only when the object is written again.
        if object != ObjectSettings() { parts["object"] = object.json }
        return parts
    }
}

/// Conditions on the original, and the one that `widths` adds; if one is not met, the output is skipped.
public struct OutputCondition: Sendable, Hashable {
    /// The least sides of the original in pixels, upright.
    public var minWidth, minHeight: Int?
    /// The longer side divided by the shorter one, at most.
    public var maxAspect: Double?
    /// The formats of the original; empty for all.
    public var types: Set<ImageFormat> = []
    /// The image before the output's last processor must be wider than this: the next smaller of the output's `widths`.
    public var widerThan: Int?

    /// Makes a condition that every item meets.
    public init() {}

    var canonical: CanonicalJSON {
        // `widerThan` was added later: without it, the text is what it was.
        let widths: [String: CanonicalJSON] = widerThan.map { ["widerThan": .integer($0)] } ?? [:]
        let members: [String: CanonicalJSON] = [
            "minWidth": minWidth.map(CanonicalJSON.integer) ?? .null,
            "minHeight": minHeight.map(CanonicalJSON.integer) ?? .null,
            "maxAspect": maxAspect.map(CanonicalJSON.number) ?? .null,
            "types": .array(types.map(\.rawValue).sorted().map(CanonicalJSON.string)),
        ]
        return .object(members.merging(widths) { $1 })
    }
}
