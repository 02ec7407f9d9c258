public import Imaging

/// An output of every item: one image, or a copy of the original's bytes.
public struct Output: Sendable {
    /// The name, unique among the outputs.
    public var name: String
    /// The position in the manifest's `outputs` of the entry that it comes from, from 0.
    package var entry = 0
    /// The processors that run after those of the manifest and of the source.
    public var processors: [Step]
    /// The format to encode.
    public var format: OutputFormat
    /// The path below the destination.
    public var path: OutputPath
    /// The treatment of a file that nuke-batch did not write.
    public var existing: Existing
    /// The treatment of a path that an earlier row already has.
    public var onCollision: CollisionPolicy
    /// The metadata to keep.
    public var metadata: MetadataPolicy
    /// The treatment of brightness above that of standard screens.
    public var hdr: HDRHandling
    /// The frames of an animated original to show.
    public var animation: AnimationPolicy
    /// The conditions on the original.
    public var condition: OutputCondition
    /// The colour under transparent pixels in a format without alpha.
    public var background: RGBColor
    /// The attributes of the object, for a destination in a bucket.
    public var object: ObjectSettings

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
            "metadata": metadata.canonical,
            "background": .array(
                [background.red, background.green, background.blue].map { .integer(Int($0)) }
            ),
            "when": condition.canonical,
            "path": .string(path.identity),
            "destination": .string(destination),
        ]
        // Added later: without them, the text is what it was.
        if hdr != .drop { parts["hdr"] = .string(hdr.rawValue) }
        if animation != .first { parts["animation"] = animation.canonical }
        // Stored attributes change only when the object is written again.
        if object != ObjectSettings() { parts["object"] = object.json }
        return parts
    }
}
