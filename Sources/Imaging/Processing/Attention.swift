internal import Foundation

/// What draws the eye in an image, to place a crop by: edges, skin and strong colours.
///
/// It looks at a version of 256 pixels, in whole numbers, so that equal images give equal places.
struct Attention {
    /// The longer side of what is looked at.
    private static let side = 256.0
    private let size: PixelSize
    /// The importance of all pixels above and to the left of a corner: one more than pixels, each way.
    private let sums: [Int]

    /// The size that is looked at of a nominal image: the image itself if it is small.
    static func size(for nominalSize: PixelSize) -> PixelSize {
        let scale = min(1, side / Double(max(nominalSize.width, nominalSize.height)))
        return PixelSize(
            width: max(1, Int((Double(nominalSize.width) * scale).rounded())),
            height: max(1, Int((Double(nominalSize.height) * scale).rounded()))
        )
    }

    /// Looks at a nominal image, or at a scaled-down decode of it.
    init(_ image: Image, of nominalSize: PixelSize) throws(ImagingError) {
        size = Self.size(for: nominalSize)
        var planes: [Plane] = []
        for plane in image.planes {
            planes.append(try Resampler.resample(plane, region: plane.region, to: size, filter: .box))
        }
        let pixels = [UInt8](try Image(colorModel: image.colorModel, planes: planes).rgba())
        let importance = Self.importance(of: pixels, size)
        var sums = [Int](repeating: 0, count: (size.width + 1) * (size.height + 1))
        for y in 0..<size.height {
            var row = 0
            for x in 0..<size.width {
                row += importance[y * size.width + x]
                sums[(y + 1) * (size.width + 1) + x + 1] = sums[y * (size.width + 1) + x + 1] + row
            }
        }
        self.sums = sums
    }

    /// The place of a window's size, in whole pixels of the nominal image, with the most importance in it.
    ///
    /// The middle of the window counts twice, so that what matters comes to lie there; of equal places the one nearest to
    /// the middle of the image is taken.
    func window(of window: Region, in nominalSize: PixelSize) -> Region {
        let scaleX = Double(size.width) / Double(nominalSize.width)
        let scaleY = Double(size.height) / Double(nominalSize.height)
        let width = min(size.width, max(1, Int((window.width * scaleX).rounded())))
        let height = min(size.height, max(1, Int((window.height * scaleY).rounded())))
        let (rangeX, rangeY) = (size.width - width, size.height - height)
        var best = (x: rangeX / 2, y: rangeY / 2, score: -1, distance: 0)
        for y in 0...rangeY {
            for x in 0...rangeX {
                let inner = sum(x + width / 4, y + height / 4, width - width / 2, height - height / 2)
                let score = sum(x, y, width, height) + inner
                let (across, down) = (2 * x - rangeX, 2 * y - rangeY)
                let distance = across * across + down * down
                if (score, -distance) > (best.score, -best.distance) { best = (x, y, score, distance) }
            }
        }
        var result = window
        // At either end the window ends with the image, whatever rounding would leave.
        func place(_ at: Int, _ range: Int, _ room: Double) -> Double {
            range == 0 ? (room / 2).rounded(.down) : (room * Double(at) / Double(range)).rounded()
        }
        result.x = place(best.x, rangeX, Double(nominalSize.width) - window.width)
        result.y = place(best.y, rangeY, Double(nominalSize.height) - window.height)
        return result
    }

    private func sum(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> Int {
        let stride = size.width + 1
        let (top, bottom) = (y * stride, (y + height) * stride)
        return sums[bottom + x + width] - sums[bottom + x] - sums[top + x + width] + sums[top + x]
    }

    /// The importance of each pixel: edges up to 400, skin up to 300, strong colours up to 30.
    private static func importance(of pixels: [UInt8], _ size: PixelSize) -> [Int] {
        let luma = smoothed(luma(of: pixels), size)
        var (skin, strength) = ([Int](), [Int]())
        for index in luma.indices {
            let color = colorScores(pixels[4 * index..<4 * index + 4], luma: luma[index] / 1000)
            skin.append(color.skin)
            strength.append(color.strength)
        }
        dampen(&skin, most: 300)
        dampen(&strength, most: 30)
        var result: [Int] = []
        result.reserveCapacity(luma.count)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let index = y * size.width + x
                let score = edge(luma, x, y, size) + skin[index] + strength[index]
                result.append(score * Int(pixels[4 * index + 3]) / 255 * centrality(x, y, size) / 1000)
            }
        }
        return result
    }

    /// The luma of each pixel, 0 to 255,000.
    private static func luma(of pixels: [UInt8]) -> [Int] {
        stride(from: 0, to: pixels.count, by: 4).map { start in
            let (red, green, blue) = (Int(pixels[start]), Int(pixels[start + 1]), Int(pixels[start + 2]))
            return 299 * red + 587 * green + 114 * blue
        }
    }

    /// Means of three by three, so that grain is no edge.
    private static func smoothed(_ values: [Int], _ size: PixelSize) -> [Int] {
        values.indices.map { index in
            let (x, y) = (index % size.width, index / size.width)
            var sum = 0
            for row in y - 1...y + 1 {
                let start = min(max(0, row), size.height - 1) * size.width
                for column in x - 1...x + 1 { sum += values[start + min(max(0, column), size.width - 1)] }
            }
            return sum / 9
        }
    }

    /// The Laplacian, of which a step of 255 would be 1000.
    private static func edge(_ luma: [Int], _ x: Int, _ y: Int, _ size: PixelSize) -> Int {
        let row = y * size.width
        let above = luma[max(0, y - 1) * size.width + x]
        let below = luma[min(size.height - 1, y + 1) * size.width + x]
        let left = luma[row + max(0, x - 1)]
        let right = luma[row + min(size.width - 1, x + 1)]
        return min(400, abs(4 * luma[row + x] - above - below - left - right) / 255)
    }

    /// Pictures mostly have in the middle what they are of: 1000 there, 300 in the corners.
    private static func centrality(_ x: Int, _ y: Int, _ size: PixelSize) -> Int {
        let across = 1000 * (2 * x + 1 - size.width) / size.width
        let down = 1000 * (2 * y + 1 - size.height) / size.height
        return 1000 - 7 * (across * across + down * down) / 20_000
    }

    /// A colour that is everywhere draws no eye: the more of it there is the less it counts, and nothing from a half on.
    private static func dampen(_ scores: inout [Int], most: Int) {
        let room = scores.count * most
        let left = max(0, room - 2 * scores.reduce(0, +))
        for index in scores.indices { scores[index] = scores[index] * left / room }
    }

    /// Skin, up to 300, and strength of a colour above a half, up to 30; nothing where it is too dark or bright to tell.
    private static func colorScores(
        _ pixel: ArraySlice<UInt8>,
        luma: Int
    ) -> (skin: Int, strength: Int) {
        let start = pixel.startIndex
        let (red, green, blue) = (Int(pixel[start]), Int(pixel[start + 1]), Int(pixel[start + 2]))
        let most = max(red, green, blue)
        let range = most - min(red, green, blue)
        guard (40...240).contains(luma), range > 0 else { return (0, 0) }
        let strength = 100 * range / most
        let strong = max(0, 6 * (strength - 50) / 10)
        // Skin of all tones has about one hue, between red and yellow, and is neither gray nor strong.
        guard red == most, green >= blue, range > 20 else { return (0, strong) }
        let hue = 100 * (green - blue) / range
        let offHue = max(0, 25 - hue, hue - 58)
        let offStrength = max(0, 20 - strength, strength - 55)
        return (3 * max(0, 100 - 8 * offHue - 4 * offStrength), strong)
    }
}
