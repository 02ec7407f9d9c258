internal import Foundation

/// The perceptual hash PDQ of an image, and its quality.
///
/// It follows "The TMK+PDQF Video-Hashing Algorithm and the PDQ Image-Hashing Algorithm" (Facebook, 2019): luminance, two
/// passes of a box filter in each direction (a Jarosz filter, which is nearly a tent), 64 × 64 samples, their 16 × 16 lowest
/// frequencies without the mean, and a bit for each frequency that is above the median.
///
/// The hash survives other sizes, compression and small changes; it does not survive mirroring and turning.
public struct PDQ: Sendable, Hashable {
    /// The least quality of a hash that tells images apart; below it, they show too little (PDQ's reference).
    public static let leastQuality = 50
    /// The operation that makes the image that is hashed, for callers that plan how small an original may be decoded.
    ///
    /// The reference scales larger images to this size as well, whatever their aspect ratio. Smaller ones are enlarged here: the
    /// windows of the filter depend on the size, and between sizes as they are, hashes differ in up to 20 bits instead of 6.
    public static let resize = Resize(
        width: 512,
        height: 512,
        contentMode: .fill,
        upscale: true,
        filter: .bilinear
    )

    /// The same for a drawing of this size, which has any number of pixels.
    ///
    /// A line of 1000 × 1 would be drawn 512,000 pixels wide to cover the square. What is more than eight times as long as wide is
    /// drawn smaller, and enlarged.
    package static func resize(ofDrawing size: PixelSize) -> Resize {
        let (short, long) = (min(size.width, size.height), max(size.width, size.height))
        guard long / 8 > short else { return resize }
        return Resize(width: 4096, height: 4096, upscale: true, filter: .bilinear)
    }

    /// The hash.
    public let hash: PerceptualHash
    /// The amount of detail, 0 (none) to 100, from the differences of neighbouring samples.
    public let quality: Int

    /// Computes the hash of an image, which is scaled to 512 × 512 pixels; transparent parts count as white.
    ///
    /// - Parameters:
    ///   - image: The upright image, or a scaled-down decode of it.
    ///   - nominalSize: The size of the upright original; nil if the image has full size.
    /// - Throws: `ImagingError` of reason `memory`.
    public init(_ image: Image, of nominalSize: PixelSize? = nil) throws(ImagingError) {
        let small = try Self.resize.apply(to: image, nominalSize: nominalSize ?? image.size, chroma: nil)
        let pixels = [UInt8](try small.rgba())
        let luminance = stride(from: 0, to: pixels.count, by: 4).map { start in
            // The weights of ITU-R BT.601, as in the paper.
            let value =
                0.299 * Float(pixels[start]) + 0.587 * Float(pixels[start + 1]) + 0.114
                * Float(pixels[start + 2])
            let alpha = pixels[start + 3]
            return alpha == 255 ? value : 255 + (value - 255) * (Float(alpha) / 255)
        }
        self.init(luminance: luminance, size: small.size)
    }

    /// Computes the hash of a plane of luminance, 0 to 255, of any size.
    public init(luminance: [Float], size: PixelSize) {
        let samples = Self.samples(luminance, size)
        quality = Self.quality(of: samples)
        let frequencies = Self.frequencies(of: samples)
        // Of 256 values the lower of the two in the middle.
        let median = frequencies.sorted()[PerceptualHash.bitCount / 2 - 1]
        var words = SIMD4<UInt64>()
        for (index, frequency) in frequencies.enumerated() where frequency > median {
            words[index / 64] |= 1 << UInt64(index % 64)
        }
        hash = PerceptualHash(words: words)
    }

    /// The side of the samples that are transformed.
    private static let side = 64
    /// The side of the frequencies that are kept.
    private static let kept = 16

    /// Filters the plane and takes 64 × 64 samples of it.
    private static func samples(_ plane: [Float], _ size: PixelSize) -> [Float] {
        let filter = BoxFilter(size: size, samples: side)
        var plane = plane
        for _ in 0..<2 { plane = filter.down(filter.across(plane)) }
        var samples: [Float] = []
        samples.reserveCapacity(side * side)
        for row in 0..<side {
            let y = Int((Double(row) + 0.5) * Double(size.height) / Double(side))
            for column in 0..<side {
                let x = Int((Double(column) + 0.5) * Double(size.width) / Double(side))
                samples.append(plane[y * size.width + x])
            }
        }
        return samples
    }

    /// Sums the differences of neighbours in whole percent of the range; 90 of them are one point of quality.
    private static func quality(of samples: [Float]) -> Int {
        var sum = 0
        for row in 0..<side {
            for column in 0..<side {
                let here = samples[row * side + column]
                if row + 1 < side { sum += abs(Int((here - samples[(row + 1) * side + column]) * 100 / 255)) }
                if column + 1 < side {
                    sum += abs(Int((here - samples[row * side + column + 1]) * 100 / 255))
                }
            }
        }
        return min(100, sum / 90)
    }

    /// The lowest frequencies of the discrete cosine transform, row by row; the mean and its row and column are left out.
    private static func frequencies(of samples: [Float]) -> [Float] {
        var rows = [Float](repeating: 0, count: kept * side)
        for row in 0..<kept {
            for column in 0..<side {
                var sum: Float = 0
                for index in 0..<side { sum += cosines[row * side + index] * samples[index * side + column] }
                rows[row * side + column] = sum
            }
        }
        var frequencies: [Float] = []
        for row in 0..<kept {
            for column in 0..<kept {
                var sum: Float = 0
                for index in 0..<side { sum += rows[row * side + index] * cosines[column * side + index] }
                frequencies.append(sum)
            }
        }
        return frequencies
    }

    /// The orthonormal cosine transform's rows 1 to 16.
    private static let cosines: [Float] = (1...kept).flatMap { wave in
        (0..<side).map { index in
            Float(
                (2 / Double(side)).squareRoot() * cos(.pi / 2 / Double(side) * Double(wave * (2 * index + 1)))
            )
        }
    }
}

/// The mean over a window about each sample of a plane; at the edges, over what the window has of the plane.
private struct BoxFilter {
    let size: PixelSize
    /// The windows: half of the distance of two samples, rounded up.
    private let windowAcross: Int
    private let windowDown: Int

    init(size: PixelSize, samples: Int) {
        self.size = size
        windowAcross = (size.width + 2 * samples - 1) / (2 * samples)
        windowDown = (size.height + 2 * samples - 1) / (2 * samples)
    }

    func across(_ plane: [Float]) -> [Float] {
        var result = [Float](repeating: 0, count: plane.count)
        for row in 0..<size.height {
            let start = row * size.width
            let window = Window(windowAcross, count: size.width)
            var sum: Float = 0
            for ahead in 0..<window.after { sum += plane[start + ahead] }
            for index in 0..<size.width {
                if let entering = window.entering(index) { sum += plane[start + entering] }
                if let leaving = window.leaving(index) { sum -= plane[start + leaving] }
                result[start + index] = sum / window.samples(index)
            }
        }
        return result
    }

    /// All columns go down together, as their samples lie side by side.
    func down(_ plane: [Float]) -> [Float] {
        let width = size.width
        var result = [Float](repeating: 0, count: plane.count)
        let window = Window(windowDown, count: size.height)
        var sums = [Float](repeating: 0, count: width)
        for ahead in 0..<window.after {
            for column in 0..<width { sums[column] += plane[ahead * width + column] }
        }
        for index in 0..<size.height {
            if let entering = window.entering(index) {
                for column in 0..<width { sums[column] += plane[entering * width + column] }
            }
            if let leaving = window.leaving(index) {
                for column in 0..<width { sums[column] -= plane[leaving * width + column] }
            }
            let samples = window.samples(index)
            for column in 0..<width { result[index * width + column] = sums[column] / samples }
        }
        return result
    }

    /// A window that moves over a line: the samples before and after the one that it is about.
    private struct Window {
        let before: Int
        let after: Int
        let count: Int

        /// A window of an even length has one sample more after its middle than before it.
        init(_ length: Int, count: Int) {
            (before, after, self.count) = ((length - 1) / 2, length / 2, count)
        }

        func entering(_ index: Int) -> Int? { index + after < count ? index + after : nil }
        func leaving(_ index: Int) -> Int? { index > before ? index - before - 1 : nil }
        func samples(_ index: Int) -> Float {
            Float(min(count - 1, index + after) - max(0, index - before) + 1)
        }
    }
}
