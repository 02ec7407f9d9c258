internal import CImageCodecs
internal import Foundation

/// Writes the frames of an animated WebP or GIF, one after another.
///
/// Only what changes from a frame to the next one is stored. Each frame of a GIF has a palette of its own.
struct AnimationWriter: ~Copyable {
    private let subject: String
    private let size: PixelSize
    /// The longest time that the file can state of a frame.
    private let longest: Duration
    /// The time of all frames so far.
    private var end = Duration.zero
    // Freed once, as the writer cannot be copied.
    private let pointer: OpaquePointer

    /// Begins a file whose frames are of `size`, played so many times, or for ever if `plays` is 0.
    init(size: PixelSize, plays: Int, as format: EncodingFormat) throws(ImagingError) {
        // The fields have 16 bits; that of a GIF counts repetitions.
        let plays = Int32(plays > Int(UInt16.max) ? 0 : plays)
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        let subject = format.imageFormat.subject
        let longest: Duration
        var pointer: OpaquePointer?
        switch format {
        case .webp(let options):
            longest = .milliseconds(0xFF_FFFF)
            try ImageEncoder.check(options.quality, in: 0...100, "WebP quality")
            try ImageEncoder.check(options.effort, in: 0...6, "WebP effort")
            try ImageEncoder.check(size, side: 16_383, "WebP")
            let (quality, effort) = (Float(options.quality), Int32(options.effort))
            let lossless: Int32 = options.lossless ? 1 : 0
            try call(subject) { error in
                nb_webp_animation_open(width, height, plays, quality, lossless, effort, &pointer, error)
            }
        case .gif(let options):
            longest = .milliseconds(10 * 0xFFFF)
            try ImageEncoder.check(options.colors, in: 2...256, "The number of a GIF's colours")
            try ImageEncoder.check(size, side: Int(UInt16.max), "GIF")
            #if Palette || PlugIns
            try call(subject) { error in
                nb_gif_animation_open(width, height, plays, Int32(options.colors), &pointer, error)
            }
            #else
            throw .unsupported(
                "This build does not write GIF. Build it with the trait Palette, or write another format."
            )
            #endif
        case .jpeg, .png, .avif, .jxl:
            throw .unsupported(
                "Animations are not written as \(format.imageFormat.rawValue). Write WebP or GIF."
            )
        }
        guard let pointer else { throw .noMemory }
        self.subject = subject
        self.longest = longest
        self.size = size
        self.pointer = pointer
    }

    deinit {
        nb_animation_close(pointer)
    }

    /// Adds a frame that is shown so long; one that is shown longer than the file can state follows itself.
    ///
    /// - Throws: `ImagingError`: `limits` beyond 24 days, and for a frame of another size.
    mutating func add(_ image: Image, for duration: Duration) throws(ImagingError) {
        let shown = try image.converted(to: .rgb).converted(toBitDepth: 8)
        var left = duration
        repeat {
            let (part, start, pointer) = (min(left, longest), milliseconds, pointer)
            try advance(by: part, for: image)
            try call(subject) { error in
                shown.planes.withCPlanes { nb_animation_add(pointer, $0, Int32($0.count), start, error) }
            }
            left -= part
        } while left > .zero
    }

    mutating func finish() throws(ImagingError) -> Data {
        let (pointer, end) = (pointer, milliseconds)
        return try ImageEncoder.collect(subject, of: []) { nb_animation_finish(pointer, end, $1, $2, $3) }
    }

    /// The time of all frames so far, as C counts it.
    private var milliseconds: Int32 { Int32(end / .milliseconds(1)) }

    private mutating func advance(by duration: Duration, for image: Image) throws(ImagingError) {
        guard image.size == size else {
            throw .limits(
                "The frames have the sizes \(size) and \(image.size). Use processors whose result has one size."
            )
        }
        guard end + duration <= .milliseconds(Int32.max) else {
            throw .limits("The animation takes longer than 24 days. Give maxDuration to shorten it.")
        }
        end += duration
    }
}
