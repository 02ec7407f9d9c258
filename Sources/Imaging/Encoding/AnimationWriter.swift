internal import Foundation

/// A file of frames while it is written.
protocol AnimationWriter: ~Copyable {
    /// Adds a frame that is shown so long.
    mutating func add(_ image: Image, for duration: Duration) throws(ImagingError)
    /// Returns the complete file.
    mutating func finish() throws(ImagingError) -> Data
}

/// The times of an animation's frames, which C counts in milliseconds.
struct AnimationClock {
    /// The size of all frames.
    let size: PixelSize
    private(set) var end = Duration.zero

    init(size: PixelSize) {
        self.size = size
    }

    /// The time of the end, in milliseconds.
    var milliseconds: Int32 { Int32(end / .milliseconds(1)) }

    /// Goes on by the time of a frame.
    ///
    /// - Throws: `ImagingError` of reason `limits` beyond 24 days, and for a frame of another size.
    mutating func advance(by duration: Duration, for image: Image) throws(ImagingError) {
        guard image.size == size else {
            throw ImagingError(
                .limits,
                "The frames have the sizes \(size) and \(image.size). Use processors whose result has one size."
            )
        }
        guard end + duration <= .milliseconds(Int32.max) else {
            throw ImagingError(
                .limits,
                "The animation takes longer than 24 days. Give maxDuration to shorten it."
            )
        }
        end += duration
    }
}
