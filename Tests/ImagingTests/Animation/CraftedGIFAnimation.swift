import Foundation
import TestSupport

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

extension CraftedGIFAnimation {
    /// An animation of parts with each disposal, and what its frames show.
    static func random(
        using random: inout SeededGenerator
    ) -> (animation: CraftedGIFAnimation, shown: [[[UInt8]]]) {
        let (width, height) = (Int.random(in: 1...9, using: &random), Int.random(in: 1...9, using: &random))
        var model = CanvasModel(width: width, height: height)
        var animation = CraftedGIFAnimation(frames: [], loops: 0)
        var shown: [[[UInt8]]] = []
        for _ in 0..<Int.random(in: 2...7, using: &random) {
            let x = Int.random(in: 0..<width, using: &random)
            let y = Int.random(in: 0..<height, using: &random)
            let columns = Int.random(in: 1...width - x, using: &random)
            let rows = Int.random(in: 1...height - y, using: &random)
            let clear = Bool.random(using: &random) ? Int.random(in: 0...3, using: &random) : nil
            let indices = (0..<columns * rows).map { _ in Int.random(in: 0...3, using: &random) }
            let gif = CraftedGIF(
                screenWidth: width,
                screenHeight: height,
                left: x,
                top: y,
                width: columns,
                height: rows,
                transparent: clear,
                isInterlaced: Bool.random(using: &random),
                indices: indices
            )
            let disposal = Int.random(in: 0...4, using: &random)
            animation.frames.append((gif, 5, disposal))
            shown.append(
                model.show(
                    indices.map { $0 == clear ? [0, 0, 0, 0] : CraftedGIF.fourColors[$0] + [255] },
                    at: (x, y),
                    width: columns,
                    blends: true,
                    disposal: max(0, min(disposal, 3) - 1)
                )
            )
        }
        return (animation, shown)
    }
}
