/// The frames of an animated original that an output shows.
public enum AnimationPolicy: Sendable, Hashable {
    /// The first one alone.
    case first
    /// All of them, within bounds.
    case keep(AnimationBounds = AnimationBounds())

    /// The bounds of an animation that is kept; nil for the first frame alone.
    public var bounds: AnimationBounds? {
        if case .keep(let bounds) = self { bounds } else { nil }
    }
}

/// The bounds of an animation that an output keeps.
public struct AnimationBounds: ManifestSettings, Sendable, Hashable {
    /// The most frames, of which the first ones are taken; nil for all.
    public var maxFrames: Int?
    /// The longest time of one play, to which it is cut; nil for all of it.
    public var maxDuration: Duration?
    /// The most pixels of all frames of the original together; an original with more fails.
    public var maxPixels = 1_000_000_000
    /// True to write a file that is larger than the original; otherwise the output is skipped.
    public var allowsLarger = false

    /// Creates bounds that all usual animations keep.
    public init() {}
}
