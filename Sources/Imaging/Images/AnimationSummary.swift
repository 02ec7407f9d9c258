/// The frames of an animated file, as the file states them.
public struct AnimationSummary: Sendable, Hashable {
    /// The number of frames, at least 2.
    public let frameCount: Int
    /// The time that the frames are shown in one play.
    public let duration: Duration
    /// The number of times that the animation is played; 0 for ever.
    public let plays: Int
}
