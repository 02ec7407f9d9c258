internal import CImageCodecs
internal import Foundation

/// Writes the frames of an animated WebP, one after another.
///
/// Only what changes from a frame to the next one is stored.
struct WebPAnimationWriter: ~Copyable {
    /// The longest side, in pixels.
    static let maxSide = 16_383
    /// The latest time of a frame that libwebpmux takes.
    private static let longest = Duration.milliseconds(Int32.max)

    private let size: PixelSize
    // Freed once, as the writer cannot be copied.
    private let pointer: OpaquePointer
    private var end = Duration.zero

    /// Begins a file whose frames are of `size`, played so many times, or for ever if `plays` is 0.
    init(size: PixelSize, plays: Int, _ options: WebPOptions) throws(ImagingError) {
        try ImageEncoder.check(options.quality, in: 0...100, "WebP quality")
        try ImageEncoder.check(options.effort, in: 0...6, "WebP effort")
        try ImageEncoder.check(size, side: Self.maxSide, "WebP")
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
        (self.size, self.pointer) = (size, pointer)
    }

    deinit {
        nb_webp_animation_close(pointer)
    }

    /// Adds a frame that is shown so long.
    mutating func add(_ image: Image, for duration: Duration) throws(ImagingError) {
        guard image.size == size, end + duration <= Self.longest else {
            throw ImagingError(
                .limits,
                image.size == size
                    ? "The animation takes longer than 24 days. Give maxDuration to shorten it."
                    : "The frames have the sizes \(size) and \(image.size). Use processors whose result has one size."
            )
        }
        let shown = try image.converted(to: .rgb).converted(toBitDepth: 8)
        let start = Self.milliseconds(end)
        try call("The WebP") { error in
            shown.planes.withCPlanes { nb_webp_animation_add(pointer, $0, Int32($0.count), start, error) }
        }
        end += duration
    }

    /// Returns the complete file.
    func finish() throws(ImagingError) -> Data {
        let (pointer, end) = (pointer, Self.milliseconds(end))
        return try ImageEncoder.collect("The WebP") { bytes, count, error in
            nb_webp_animation_finish(pointer, end, bytes, count, error)
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int32 {
        Int32(duration / .milliseconds(1))
    }
}
