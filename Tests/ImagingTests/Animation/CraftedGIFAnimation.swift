import Foundation

/// An animated GIF of frames that are written by hand, with the palette of four colours.
struct CraftedGIFAnimation {
    var frames: [(gif: CraftedGIF, delay: Int, disposal: Int)]
    /// The count of its loop extension; nil for none.
    var loops: Int?

    var data: Data {
        // The screen and its palette.
        var file = Data((frames.first?.gif.data ?? Data()).prefix(25))
        if let loops {
            file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8)
            file += [3, 1, UInt8(loops & 255), UInt8(loops >> 8), 0]
        }
        for frame in frames {
            let flags = UInt8(frame.disposal << 2 | (frame.gif.transparent == nil ? 0 : 1))
            file += [0x21, 0xF9, 4, flags, UInt8(frame.delay & 255), UInt8(frame.delay >> 8)]
            file += [UInt8(frame.gif.transparent ?? 0), 0]
            // Behind the screen, its palette and a control block; before the trailer.
            file += frame.gif.data.dropFirst(25 + (frame.gif.transparent == nil ? 0 : 8)).dropLast()
        }
        return file + [0x3B]
    }

    /// An animation of whole frames of one colour each.
    static func plain(_ colors: [Int], delay: Int = 5, size: Int = 4, loops: Int? = 0) -> CraftedGIFAnimation
    {
        CraftedGIFAnimation(
            frames: colors.map { color in
                let indices = Array(repeating: color, count: size * size)
                return (
                    CraftedGIF(
                        screenWidth: size,
                        screenHeight: size,
                        width: size,
                        height: size,
                        indices: indices
                    ), delay, 1
                )
            },
            loops: loops
        )
    }
}
