internal import Foundation

/// A placeholder of about 25 bytes: the lowest frequencies of an image's luminance, colours and alpha, and its aspect
/// ratio (ThumbHash).
///
/// The format follows github.com/evanw/thumbhash. Luminance has up to 7 frequencies along the longer side (5 with
/// alpha) and fewer along the shorter one. Each of the two colour differences has 3 by 3, and alpha has 5 by 5. Three
/// bytes hold the means, the range of luminance and the alpha flag, two the aspect ratio and the ranges of the colours,
/// and one the range and mean of alpha. Each frequency takes four bits.
public struct ThumbHash: Sendable, Hashable {
    /// The hash, 5 to 25 bytes.
    public let bytes: [UInt8]
    /// The hash in Base64.
    public var text: String { Data(bytes).base64EncodedString() }

    /// Computes the hash of a miniature.
    public init(_ miniature: Miniature) {
        let size = miniature.size
        let planes = Planes(miniature)
        let longest = Double(max(size.width, size.height))
        let most = planes.hasAlpha ? 5.0 : 7.0
        let across = max(1, Int((most * Double(size.width) / longest).rounded()))
        let down = max(1, Int((most * Double(size.height) / longest).rounded()))
        let light = Waves(planes.light, size: size, columns: max(3, across), rows: max(3, down))
        let yellow = Waves(planes.yellow, size: size, columns: 3, rows: 3)
        let red = Waves(planes.red, size: size, columns: 3, rows: 3)
        let alpha = planes.hasAlpha ? Waves(planes.alpha, size: size, columns: 5, rows: 5) : nil

        let isLandscape = size.width > size.height
        let means = Self.step(light.mean, 63) | Self.step((yellow.mean + 1) / 2, 63) << 6
        let head =
            means | Self.step((red.mean + 1) / 2, 63) << 12 | Self.step(light.range, 31) << 18
            | (planes.hasAlpha ? 1 << 23 : 0)
        // The frequency count of the shorter side; that of the longer side is always the maximum.
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

    /// A fraction from 0 to 1 as an integer from 0 to `most`.
    private static func step(_ share: Double, _ most: Int) -> Int {
        Int((min(1, max(0, share)) * Double(most)).rounded())
    }

    /// The transformed planes: luminance, yellow-blue, red-green and alpha, over the image's mean colour.
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

    /// A plane's mean and its other low frequencies: the upper left triangle of the transform.
    private struct Waves {
        private(set) var mean = 0.0
        /// The largest of the other frequencies, by which they are divided.
        let range: Double
        /// The other frequencies, 0 to 15 each.
        let levels: [Int]

        init(_ plane: [Double], size: PixelSize, columns: Int, rows: Int) {
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
