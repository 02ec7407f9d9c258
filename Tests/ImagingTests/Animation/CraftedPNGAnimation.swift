import Foundation
import Imaging

/// An animated PNG of frames of red, green, blue and alpha.
struct CraftedPNGAnimation {
    struct Frame {
        var x = 0
        var y = 0
        var width: Int
        var height: Int
        var rgba: [UInt8]
        var numerator = 1
        var denominator = 10
        var disposal = 0
        var blending = 0
    }

    var width: Int
    var height: Int
    var frames: [Frame]
    var plays = 0
    /// True if the image that decoders without animations show is no frame.
    var hasOwnStill = false

    var data: Data {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += CraftedPNG.chunk("IHDR", big32(width) + big32(height) + [8, 6, 0, 0, 0])
        file += CraftedPNG.chunk("acTL", big32(frames.count) + big32(plays))
        if hasOwnStill {
            let still = [UInt8](repeating: 77, count: width * height * 4)
            file += CraftedPNG.chunk("IDAT", stream(still, width: width))
        }
        var sequence = 0
        for (index, frame) in frames.enumerated() {
            var control = big32(sequence) + big32(frame.width) + big32(frame.height)
            control += big32(frame.x) + big32(frame.y)
            control += big16(frame.numerator) + big16(frame.denominator)
            control += [UInt8(frame.disposal), UInt8(frame.blending)]
            file += CraftedPNG.chunk("fcTL", control)
            sequence += 1
            let pixels = stream(frame.rgba, width: frame.width)
            if index == 0, !hasOwnStill {
                file += CraftedPNG.chunk("IDAT", pixels)
                continue
            }
            // In two chunks, as large frames are.
            for part in [pixels.prefix(5), pixels.dropFirst(5)] {
                file += CraftedPNG.chunk("fdAT", big32(sequence) + part)
                sequence += 1
            }
        }
        return Data(file + CraftedPNG.chunk("IEND", []))
    }

    private func stream(_ rgba: [UInt8], width: Int) -> [UInt8] {
        let rows = stride(from: 0, to: rgba.count, by: 4 * width).flatMap { [0] + rgba[$0..<$0 + 4 * width] }
        return CraftedPNG.stored(rows)
    }

    private func big32(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(value >> $0 & 255) } }
    private func big16(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
}
