/// A frame of an animation as its file stores it: a part of the canvas.
struct StoredFrame: Sendable {
    /// The place of its left upper corner on the canvas.
    let x, y: Int
    let size: PixelSize
    /// The time that it is shown, in milliseconds.
    let delay: Int
    let disposal: Disposal
    /// True if it is laid over the canvas; false if it replaces what it covers, its transparency included.
    let blends: Bool
    /// The bytes of the file that hold its pixels; none in AVIF, where libavif finds them.
    let bytes: Range<Int>
    /// The index of the palette that is transparent, in GIF.
    var transparentIndex: Int?

    /// The canvas after the frame was shown.
    enum Disposal: Sendable {
        /// It stays.
        case keep
        /// The part that the frame covers becomes transparent.
        case clear
        /// It becomes what it was before the frame.
        case restore
    }

    /// The delay of a frame as browsers take it, in milliseconds.
    ///
    /// Chromium and Firefox show a frame of at most 10 ms for 100 ms, since many files say 0 and mean no haste.
    static func shownDelay(_ milliseconds: Int) -> Int { milliseconds <= 10 ? 100 : milliseconds }
}

/// The frames of a file, one after another, found without decoding a pixel.
protocol StoredFrames: Sendable {
    /// The next frame; nil after the last one, and where damage ends the animation.
    mutating func next() -> StoredFrame?
    /// The number of times that the animation is played, 0 for ever, as far as the file has been read.
    var plays: Int { get }
    /// True if the animation has ended early, in damage or at the end of the data.
    var endsEarly: Bool { get }
    /// True if it has ended within something that the data holds the beginning of.
    var isCut: Bool { get }
}

extension AnimationSummary {
    /// Counts the frames; nil if there are fewer than two.
    init?(_ stored: some StoredFrames) {
        var frames = stored
        var (count, milliseconds) = (0, 0)
        while let frame = frames.next() {
            count += 1
            milliseconds += frame.delay
        }
        guard count > 1 else { return nil }
        self.init(frameCount: count, duration: .milliseconds(milliseconds), plays: frames.plays)
    }
}
