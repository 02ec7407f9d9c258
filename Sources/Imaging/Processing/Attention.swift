internal import CImageCodecs
internal import Foundation

/// Finds the most salient window of an image for a smart crop: edges, skin and saturated colours.
///
/// It examines a version of 256 pixels in integer arithmetic, so equal images give equal windows.
struct Attention {
    /// The longer side of the examined version, in pixels.
    private static let side = 256.0
    private let size: PixelSize
    /// A summed-area table of importance: one row and one column more than pixels.
    private let sums: [Int]

    /// The size at which a nominal image is examined: its own size if it is small.
    static func size(for nominalSize: PixelSize) -> PixelSize {
        let scale = min(1, side / Double(max(nominalSize.width, nominalSize.height)))
        return PixelSize(
            width: max(1, Int((Double(nominalSize.width) * scale).rounded())),
            height: max(1, Int((Double(nominalSize.height) * scale).rounded()))
        )
    }

    /// Examines a nominal image, or a scaled-down decode of it.
    init(_ image: Image, of nominalSize: PixelSize) throws(ImagingError) {
        size = Self.size(for: nominalSize)
        let source =
            image.hasAlpha ? try image.converted(to: image.colorModel == .gray ? .gray : .rgb) : image
        var planes: [Plane] = []
        for (index, plane) in source.planes.enumerated() {
            let isColor = index < source.colorPlanes.count
            // The colours of transparent pixels are not to be seen, and must not be found.
            let shown = isColor ? try plane.overBlack(source.alphaPlanes) : plane
            planes.append(try Resampler.resample(shown, region: shown.region, to: size, filter: .box))
        }
        let pixels = [UInt8](try Image(colorModel: source.colorModel, planes: planes).rgba())
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

    /// The most important window of a size, in whole pixels of the nominal image.
    ///
    /// The middle of the window counts twice, to centre the subject. Of equal windows, the one nearest to the middle of
    /// the image is chosen.
    func window(of window: Region, in nominalSize: PixelSize) -> Region {
        let scaleX = Double(size.width) / Double(nominalSize.width)
        let scaleY = Double(size.height) / Double(nominalSize.height)
        let width = min(size.width, max(1, Int((window.width * scaleX).rounded())))
        let height = min(size.height, max(1, Int((window.height * scaleY).rounded())))
        let (rangeX, rangeY) = (size.width - width, size.height - height)
        var best = (x: rangeX / 2, y: rangeY / 2, score: -1, distance: 0)
        for y in 0...rangeY {
            for x in 0...rangeX {
                let inner = sum(
                    x: x + width / 4,
                    y: y + height / 4,
                    width: width - width / 2,
                    height: height - height / 2
                )
                let score = sum(x: x, y: y, width: width, height: height) + inner
                let (across, down) = (2 * x - rangeX, 2 * y - rangeY)
                let distance = across * across + down * down
                if (score, -distance) > (best.score, -best.distance) { best = (x, y, score, distance) }
            }
        }
        var result = window
        // At either end, the window is aligned with the image's edge, regardless of rounding.
        func start(_ step: Int, of range: Int, within room: Double) -> Double {
            range == 0 ? (room / 2).rounded(.down) : (room * Double(step) / Double(range)).rounded()
        }
        result.x = start(best.x, of: rangeX, within: Double(nominalSize.width) - window.width)
        result.y = start(best.y, of: rangeY, within: Double(nominalSize.height) - window.height)
        return result
    }

    private func sum(x: Int, y: Int, width: Int, height: Int) -> Int {
        let stride = size.width + 1
        let (top, bottom) = (y * stride, (y + height) * stride)
        return sums[bottom + x + width] - sums[bottom + x] - sums[top + x + width] + sums[top + x]
    }

    /// The importance of each pixel: edges up to 400, skin up to 300, saturated colours up to 30.
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
                let score = edge(in: luma, x: x, y: y, size: size) + skin[index] + strength[index]
                result.append(
                    score * Int(pixels[4 * index + 3]) / 255 * centrality(x: x, y: y, in: size) / 1000
                )
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

    /// Means of 3 × 3 pixels, so that grain does not count as edges.
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

    /// The Laplacian, scaled so that a step of 255 gives 1000.
    private static func edge(in luma: [Int], x: Int, y: Int, size: PixelSize) -> Int {
        let row = y * size.width
        let above = luma[max(0, y - 1) * size.width + x]
        let below = luma[min(size.height - 1, y + 1) * size.width + x]
        let left = luma[row + max(0, x - 1)]
        let right = luma[row + min(size.width - 1, x + 1)]
        return min(400, abs(4 * luma[row + x] - above - below - left - right) / 255)
    }

    /// The weight of a position: 1000 in the middle, 300 in the corners.
    ///
    /// Subjects are mostly in the middle.
    private static func centrality(x: Int, y: Int, in size: PixelSize) -> Int {
        let across = 1000 * (2 * x + 1 - size.width) / size.width
        let down = 1000 * (2 * y + 1 - size.height) / size.height
        return 1000 - 7 * (across * across + down * down) / 20_000
    }

    /// Reduces scores that are common: the more pixels score, the less each counts, down to zero at half of the image.
    private static func dampen(_ scores: inout [Int], most: Int) {
        let room = scores.count * most
        let left = max(0, room - 2 * scores.reduce(0, +))
        for index in scores.indices { scores[index] = scores[index] * left / room }
    }

    /// Skin up to 300, and saturation above a half up to 30; zero if the pixel is too dark or bright to tell.
    private static func colorScores(_ pixel: ArraySlice<UInt8>, luma: Int) -> (skin: Int, strength: Int) {
        let start = pixel.startIndex
        let (red, green, blue) = (Int(pixel[start]), Int(pixel[start + 1]), Int(pixel[start + 2]))
        let most = max(red, green, blue)
        let range = most - min(red, green, blue)
        guard (40...240).contains(luma), range > 0 else { return (0, 0) }
        let strength = 100 * range / most
        let strong = max(0, 6 * (strength - 50) / 10)
        // Skin of all tones has about the same hue, between red and yellow, and is neither gray nor saturated.
        guard red == most, green >= blue, range > 20 else { return (0, strong) }
        let hue = 100 * (green - blue) / range
        let offHue = max(0, 25 - hue, hue - 58)
        let offStrength = max(0, 20 - strength, strength - 55)
        return (3 * max(0, 100 - 8 * offHue - 4 * offStrength), strong)
    }
}

extension Plane {
    /// The samples of a colour as they look on black under alpha; the same plane without one.
    fileprivate func overBlack(_ alpha: [Plane]) throws(ImagingError) -> Plane {
        guard !alpha.isEmpty else { return self }
        let shown = try sibling()
        ([self] + alpha + [shown]).withCPlanes { nb_flatten([$0[0]], [$0[1]], 0, [$0[2]]) }
        return shown
    }
}
