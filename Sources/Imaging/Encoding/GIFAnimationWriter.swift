internal import CImageCodecs
internal import Foundation

/// Writes the frames of a GIF, each with a palette of its own, and of each only what changes.
struct GIFAnimationWriter: AnimationWriter, ~Copyable {
    private var clock: AnimationClock
    // Freed once, as the writer cannot be copied.
    private let pointer: OpaquePointer

    /// Begins a file whose frames are of `size`, played so many times, or for ever if `plays` is 0.
    init(size: PixelSize, plays: Int, _ options: GIFOptions) throws(ImagingError) {
        try ImageEncoder.check(options.colors, in: 2...256, "The number of a GIF's colours")
        try ImageEncoder.check(size, side: Int(UInt16.max), "GIF")
        #if Palette || PlugIns
        var pointer: OpaquePointer?
        do {
            try call("The GIF") { error in
                nb_gif_animation_open(
                    Int32(size.width),
                    Int32(size.height),
                    // The field has 16 bits, and counts repetitions.
                    Int32(plays > Int(UInt16.max) ? 0 : plays),
                    Int32(options.colors),
                    &pointer,
                    error
                )
            }
        } catch {
            nb_gif_animation_close(pointer)
            throw error
        }
        guard let pointer else { throw .noMemory }
        clock = AnimationClock(size: size)
        self.pointer = pointer
        #else
        throw ImagingError(
            .unsupported,
            "This build does not write GIF. Build it with the trait Palette, or write another format."
        )
        #endif
    }

    deinit {
        #if Palette || PlugIns
        nb_gif_animation_close(pointer)
        #endif
    }

    mutating func add(_ image: Image, for duration: Duration) throws(ImagingError) {
        #if Palette || PlugIns
        let start = clock.milliseconds
        try clock.advance(by: duration, for: image)
        let shown = try image.converted(to: .rgb).converted(toBitDepth: 8)
        let pointer = pointer
        try call("The GIF") { error in
            shown.planes.withCPlanes { nb_gif_animation_add(pointer, $0, Int32($0.count), start, error) }
        }
        #endif
    }

    mutating func finish() throws(ImagingError) -> Data {
        #if Palette || PlugIns
        let (pointer, end) = (pointer, clock.milliseconds)
        return try ImageEncoder.collect("The GIF") { bytes, count, error in
            nb_gif_animation_finish(pointer, end, bytes, count, error)
        }
        #else
        return Data()
        #endif
    }
}
