internal import Foundation

/// The most frequent colour of an image.
///
/// Red, green and blue are divided into 16 steps each, and each pixel counts in its cell by its alpha. The result is
/// the mean colour of the block of 2 × 2 × 2 neighbouring cells with the highest count, so no cell edge splits a
/// colour. All arithmetic uses integers: equal pixels give equal colours. Of equal blocks, the one with the least red,
/// then the least green, then the least blue is chosen.
public struct DominantColor: Sendable, Hashable {
    /// The colour.
    public let color: RGBColor
    /// The colour as `#RRGGBB`.
    public var text: String { String(format: "#%02X%02X%02X", color.red, color.green, color.blue) }

    /// The number of steps per channel.
    private static let steps = 16

    /// The dominant colour of a miniature; nil if every pixel is transparent.
    public init?(_ miniature: Miniature) {
        // For each cell, the sums of red, green and blue times alpha, and of alpha.
        var cells = [SIMD4<Int>](repeating: .zero, count: Self.steps * Self.steps * Self.steps)
        for pixel in miniature.pixels.map({ SIMD4<Int>(truncatingIfNeeded: $0) }) {
            let cell = pixel &* Self.steps / 256
            let opaque = SIMD4(pixel.x, pixel.y, pixel.z, 1)
            cells[(cell.x * Self.steps + cell.y) * Self.steps + cell.z] &+= opaque &* pixel.w
        }
        var most = SIMD4<Int>.zero
        for red in 0..<Self.steps - 1 {
            for green in 0..<Self.steps - 1 {
                for blue in 0..<Self.steps - 1 {
                    let block = Self.block(red: red, green: green, blue: blue, of: cells)
                    if block.w > most.w { most = block }
                }
            }
        }
        guard most.w > 0 else { return nil }
        let mean = (most &+ most.w / 2) / most.w
        color = RGBColor(red: UInt8(mean.x), green: UInt8(mean.y), blue: UInt8(mean.z))
    }

    /// The sum of the cell at these steps and its seven neighbours one step higher.
    private static func block(red: Int, green: Int, blue: Int, of cells: [SIMD4<Int>]) -> SIMD4<Int> {
        (0..<8).reduce(into: SIMD4<Int>.zero) { sum, corner in
            let (redder, greener, bluer) = (red + corner / 4, green + corner / 2 % 2, blue + corner % 2)
            sum &+= cells[(redder * steps + greener) * steps + bluer]
        }
    }
}
