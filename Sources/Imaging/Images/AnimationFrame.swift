/// A frame of an animation as it is shown: the whole canvas.
public struct AnimationFrame: Sendable {
    /// The canvas, upright and in sRGB.
    public let image: Image
    /// The time that it is shown.
    public let duration: Duration
}
