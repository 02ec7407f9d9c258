internal import CImageCodecs
internal import Foundation

/// Writes the frames of an animated WebP, one after another.
///
/// Only what changes from a frame to the next one is stored.
struct WebPAnimationWriter: AnimationWriter, ~Copyable {
    private var clock: AnimationClock
    // Freed once, as the writer cannot be copied.
    private let pointer: OpaquePointer

    /// Begins a file whose frames are of `size`, played so many times, or for ever if `plays` is 0.
    init(size: PixelSize, plays: Int, _ options: WebPOptions) throws(ImagingError) {
        try ImageEncoder.check(options.quality, in: 0...100, "WebP quality")
        try ImageEncoder.check(options.effort, in: 0...6, "WebP effort")
        try ImageEncoder.check(size, side: 16_383, "WebP")
        let pointer = nb_webp_animation_open(
            Int32(size.width),
            Int32(size.height),
            // The field has 16 bits; nobody counts as far.
            Int32(plays > Int(UInt16.max) ? 0 : plays),
            Float(options.quality),
            options.lossless ? 1 : 0,
            Int32(options.effort)
        )
        guard let pointer else { throw .noMemory }
        clock = AnimationClock(size: size)
        self.pointer = pointer
    }

    deinit {
        nb_webp_animation_close(pointer)
    }

    mutating func add(_ image: Image, for duration: Duration) throws(ImagingError) {
        let start = clock.milliseconds
        try clock.advance(by: duration, for: image)
        let shown = try image.converted(to: .rgb).converted(toBitDepth: 8)
        let pointer = pointer
        try call("The WebP") { error in
            shown.planes.withCPlanes { nb_webp_animation_add(pointer, $0, Int32($0.count), start, error) }
        }
    }

    mutating func finish() throws(ImagingError) -> Data {
        let (pointer, end) = (pointer, clock.milliseconds)
        return try ImageEncoder.collect("The WebP") { bytes, count, error in
            nb_webp_animation_finish(pointer, end, bytes, count, error)
        }
    }
}
