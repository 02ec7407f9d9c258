internal import Foundation

/// A placeholder of about 25 bytes: the lowest frequencies of an image's light, colours and alpha, and its shape (ThumbHash).
///
/// The format is that of github.com/evanw/thumbhash. Light has up to 7 waves along the longer side (5 where there is alpha) and
/// fewer along the shorter one, each of the two colour differences 3 by 3, alpha 5 by 5. Three bytes hold the means, the
/// range of light, and whether there is alpha; two the shape and the ranges of the colours; one those of alpha; then
/// each wave has four bits.
public struct ThumbHash: Sendable, Hashable {
    /// The hash, 5 to 25 bytes.
    public let bytes: [UInt8]
    /// The hash in Base64.
    public var text: String { Data(bytes).base64EncodedString() }

    /// The hash of a miniature.
    public init(_ miniature: Miniature) {
        let size = miniature.size
        let planes = Planes(miniature)
        let longest = Double(max(size.width, size.height))
        let most = planes.hasAlpha ? 5.0 : 7.0
        let across = max(1, Int((most * Double(size.width) / longest).rounded()))
        let down = max(1, Int((most * Double(size.height) / longest).rounded()))
        let light = Waves(planes.light, size, max(3, across), max(3, down))
        let yellow = Waves(planes.yellow, size, 3, 3)
        let red = Waves(planes.red, size, 3, 3)
        let alpha = planes.hasAlpha ? Waves(planes.alpha, size, 5, 5) : nil

        let isLandscape = size.width > size.height
        let means = Self.step(light.mean, 63) | Self.step((yellow.mean + 1) / 2, 63) << 6
        let head =
            means | Self.step((red.mean + 1) / 2, 63) << 12 | Self.step(light.range, 31) << 18
            | (planes.hasAlpha ? 1 << 23 : 0)
        // Of the two counts of light's waves the one along the shorter side; the other is always the most.
        let shape =
            (isLandscape ? down : across) | Self.step(yellow.range, 63) << 3 | Self.step(red.range, 63) << 9
            | (isLandscape ? 1 << 15 : 0)
        var bytes = [head, head >> 8, head >> 16, shape, shape >> 8].map { UInt8($0 & 255) }
        if let alpha { bytes.append(UInt8(Self.step(alpha.mean, 15) | Self.step(alpha.range, 15) << 4)) }
        let levels = [light, yellow, red, alpha].compactMap(\.self).flatMap(\.levels)
        for start in stride(from: 0, to: levels.count, by: 2) {
            bytes.append(UInt8(levels[start] | (start + 1 < levels.count ? levels[start + 1] << 4 : 0)))
        }
        self.bytes = bytes
    }

    /// A share of 0 to 1 as a whole number of 0 to `most`.
    private static func step(_ share: Double, _ most: Int) -> Int {
        Int((min(1, max(0, share)) * Double(most)).rounded())
    }

    /// What is transformed: light, yellow against blue, red against green, and alpha, over the image's mean colour.
    private struct Planes {
        private(set) var light: [Double] = []
        private(set) var yellow: [Double] = []
        private(set) var red: [Double] = []
        private(set) var alpha: [Double] = []
        let hasAlpha: Bool

        init(_ miniature: Miniature) {
            let pixels = miniature.pixels.map { SIMD4<Double>($0) / 255 }
            hasAlpha = miniature.pixels.contains { $0.w < 255 }
            let sum = pixels.reduce(SIMD4<Double>.zero) { $0 + SIMD4($1.x, $1.y, $1.z, 1) * $1.w }
            let mean = sum.w > 0 ? sum / sum.w : .zero
            for pixel in pixels {
                let color = pixel * pixel.w + mean * (1 - pixel.w)
                light.append((color.x + color.y + color.z) / 3)
                yellow.append((color.x + color.y) / 2 - color.z)
                red.append(color.x - color.y)
                alpha.append(pixel.w)
            }
        }
    }

    /// A plane's mean and its other low frequencies, from the left upper corner of the transform to its diagonal.
    private struct Waves {
        private(set) var mean = 0.0
        /// The largest of the others, which they are divided by.
        let range: Double
        /// The others, 0 to 15 each.
        let levels: [Int]

        init(_ plane: [Double], _ size: PixelSize, _ columns: Int, _ rows: Int) {
            let across = Self.cosines(columns, size.width)
            let down = Self.cosines(rows, size.height)
            var others: [Double] = []
            for row in 0..<rows {
                for column in 0..<columns where column * rows < columns * (rows - row) {
                    var sum = 0.0
                    for y in 0..<size.height {
                        var line = 0.0
                        for x in 0..<size.width { line += plane[y * size.width + x] * across[column][x] }
                        sum += line * down[row][y]
                    }
                    sum /= Double(size.width * size.height)
                    if row == 0, column == 0 { mean = sum } else { others.append(sum) }
                }
            }
            let range = others.map(abs).max() ?? 0
            self.range = range
            levels = others.map { range > 0 ? step(0.5 + 0.5 / range * $0, 15) : 0 }
        }

        private static func cosines(_ count: Int, _ side: Int) -> [[Double]] {
            (0..<count).map { wave in
                (0..<side).map { cos(Double.pi / Double(side) * Double(wave) * (Double($0) + 0.5)) }
            }
        }
    }
}
