#if AVIF || PlugIns
internal import Foundation

/// The frames of an AVIF sequence (ISO/IEC 23000-22, 7), as the boxes of its track describe them (ISO/IEC 14496-12, 8).
struct AVIFFrames: StoredFrames {
    let plays: Int
    // Frames that are missing are noticed when they are decoded.
    let endsEarly = false
    let isCut = false
    /// The number of frames that the track claims.
    let frameCount: Int
    /// The size of the canvas.
    private let size: PixelSize
    private var times: SequenceTrack.Times
    private var run = (count: 0, ticks: 0)
    private var clock = Clock()

    /// Reads the boxes; nil for a file that browsers show as a still image.
    ///
    /// As there, the first brand decides: `avif` is a still image, whatever tracks the file has.
    init?(_ bytes: ByteReader, size: PixelSize) {
        guard bytes.tag(at: 4) == "ftyp", bytes.tag(at: 8) != "avif" else { return nil }
        let movie = bytes.boxes(in: 0..<bytes.count).first { $0.type == "moov" }
        guard let movie else { return nil }
        let tracks = bytes.boxes(in: movie.content).filter { $0.type == "trak" }
        // The first track with pictures of its own is also that which libavif takes.
        guard let track = tracks.lazy.compactMap({ SequenceTrack(bytes, $0) }).first else { return nil }
        guard track.frameCount > 1 else { return nil }
        (frameCount, plays, times) = (track.frameCount, track.plays, track.times)
        self.size = size
    }

    /// The frames as the boxes state them, without going through each: a hostile file may claim billions.
    var summary: AnimationSummary {
        var (rest, clock) = (times, Clock())
        var milliseconds = 0
        while let run = rest.next() {
            milliseconds = milliseconds.addingClamping(
                clock.advance(by: run.ticks, times: run.count, timescale: times.timescale)
            )
        }
        return AnimationSummary(frameCount: frameCount, duration: .milliseconds(milliseconds), plays: plays)
    }

    mutating func next() -> StoredFrame? {
        if run.count == 0 {
            guard let next = times.next() else { return nil }
            run = next
        }
        run.count -= 1
        return StoredFrame(
            x: 0,
            y: 0,
            size: size,
            delay: clock.advance(by: run.ticks, times: 1, timescale: times.timescale),
            disposal: .restore,
            blends: false,
            bytes: 0..<0
        )
    }

    /// The time in milliseconds, so rounded that it never differs by more than half of one from the sum of all frames.
    private struct Clock {
        private var ticks = 0
        private var milliseconds = 0

        /// Goes on by frames of the same time; returns the milliseconds that they are shown.
        mutating func advance(by frame: Int, times count: Int, timescale: Int) -> Int {
            let most = 1000 * frame
            if timescale == 0 || most <= 10 * timescale {
                return StoredFrame.shownDelay(0).multipliedClamping(by: count)
            }
            // Left to the rounding, a frame of 10.5 ms might become one of 10, which browsers show for 100.
            if most < 11 * timescale { return 11.multipliedClamping(by: count) }
            ticks = ticks.addingClamping(frame.multipliedClamping(by: count))
            let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: timescale)
            let end = seconds.multipliedClamping(by: 1000).addingClamping(
                (2000 * rest + timescale) / (2 * timescale)
            )
            defer { milliseconds = end }
            return end - milliseconds
        }
    }
}
#endif
