import Foundation
import Imaging
import Testing

/// SSIMULACRA2 2.1 as it is published, in double precision, over whole planes and with the recursive blur: slow, and as unlike
/// the product's implementation as the same formula allows.
///
/// Sources: github.com/cloudinary/ssimulacra2; D. Charalampidis, "Recursive implementation of the Gaussian filter using truncated
/// cosine functions" (IEEE Transactions on Signal Processing 64, 2016); ISO/IEC 18181-1, annex L.
struct SSIMULACRA2Model {
    struct Map {
        var width: Int, height: Int
        var samples: [Double]

        init(_ width: Int, _ height: Int, _ samples: [Double]) {
            (self.width, self.height, self.samples) = (width, height, samples)
        }

        func combined(_ other: Map, _ body: (Double, Double) -> Double) -> Map {
            Map(width, height, zip(samples, other.samples).map(body))
        }

        var transposed: Map {
            var result = Map(height, width, samples)
            for y in 0..<height {
                for x in 0..<width { result.samples[x * height + y] = samples[y * width + x] }
            }
            return result
        }

        /// The mean of each square of four; an odd sample at the end counts twice.
        var halved: Map {
            var result: [Double] = []
            for y in stride(from: 0, to: height, by: 2) {
                let rows = [y, min(y + 1, height - 1)]
                for x in stride(from: 0, to: width, by: 2) {
                    let columns = [x, min(x + 1, width - 1)]
                    result.append(
                        rows.flatMap { y in columns.map { samples[y * width + $0] } }.reduce(0, +) / 4
                    )
                }
            }
            return Map((width + 1) / 2, (height + 1) / 2, result)
        }

        /// The two norms of a map.
        var norms: (mean: Double, fourth: Double) {
            let count = Double(samples.count)
            return (samples.reduce(0, +) / count, pow(samples.reduce(0) { $0 + pow($1, 4) } / count, 0.25))
        }
    }

    /// The 108 weights, from the file that has them.
    let weights: [Double]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/CImageCodecs/Similarity/ssimulacra2_weights.h")
        let text = try String(contentsOf: file, encoding: .utf8)
        let list = try #require(text.split(separator: "{").last)
        weights = list.split { ",\n }; ".contains($0) }.compactMap { Double($0) }
        try #require(weights.count == 108)
    }

    /// Returns the score of two images of interleaved RGB, 0 to 255.
    func score(_ reference: Image, _ other: Image) throws -> Double {
        var images = try [linear(reference), linear(other)]
        var maps: [[(structure: Map, ringing: Map, blur: Map)]] = [[], [], []]
        for scale in 0..<6 {
            if scale > 0 {
                if min(images[0][0].width, images[0][0].height) < 8 { break }
                images = images.map { $0.map(\.halved) }
            }
            let (first, second) = (Self.xyb(images[0]), Self.xyb(images[1]))
            for channel in 0..<3 { maps[channel].append(Self.maps(first[channel], second[channel])) }
        }
        var sum = 0.0
        for (channel, scales) in maps.enumerated() {
            for (number, scale) in scales.enumerated() {
                let norms = [scale.structure.norms, scale.ringing.norms, scale.blur.norms]
                let first = (channel * 6 + number) * 6
                sum += zip(weights[first...], norms.map(\.mean) + norms.map(\.fourth)).reduce(0) {
                    $0 + $1.0 * $1.1
                }
            }
        }
        sum *= 0.956_238_261_683_484_4
        sum =
            2.326_765_642_916_932 * sum - 0.020_884_521_182_843_837 * sum * sum + 6.248_496_625_763_138e-05
            * pow(sum, 3)
        return sum > 0 ? 100 - 10 * pow(sum, 0.627_633_646_783_138_7) : 100
    }

    private func linear(_ image: Image) throws -> [Map] {
        let bytes = try image.rgba()
        return (0..<3).map { channel in
            Map(
                image.size.width,
                image.size.height,
                (0..<image.size.width * image.size.height).map { pixel in
                    let value = Double(bytes[pixel * 4 + channel]) / 255
                    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
                }
            )
        }
    }

    private static func xyb(_ linear: [Map]) -> [Map] {
        let bias = 0.003_793_073_255_275_449_3
        let matrix = [
            [0.3, 0.622, 0.078], [0.23, 0.692, 0.078],
            [0.243_422_689_245_478_19, 0.204_767_444_244_968_21, 0.551_809_866_509_553_60],
        ]
        let cones = matrix.map { row in
            linear[0].samples.indices.map { index in
                cbrt(zip(row, linear).reduce(bias) { $0 + $1.0 * $1.1.samples[index] }) - cbrt(bias)
            }
        }
        let (width, height) = (linear[0].width, linear[0].height)
        let luma = zip(cones[0], cones[1]).map { ($0 + $1) / 2 }
        return [
            Map(width, height, zip(cones[0], cones[1]).map { ($0 - $1) / 2 * 14 + 0.42 }),
            Map(width, height, luma.map { $0 + 0.01 }),
            Map(width, height, zip(cones[2], luma).map { $0 - $1 + 0.55 }),
        ]
    }

    private static func maps(_ first: Map, _ second: Map) -> (structure: Map, ringing: Map, blur: Map) {
        let (mean1, mean2) = (blurred(first), blurred(second))
        let square1 = blurred(first.combined(first, *)), square2 = blurred(second.combined(second, *))
        let product = blurred(first.combined(second, *))
        var structure = first, ringing = first, blur = first
        for index in first.samples.indices {
            let (m1, m2) = (mean1.samples[index], mean2.samples[index])
            let variances = square1.samples[index] - m1 * m1 + square2.samples[index] - m2 * m2
            let alike = (1 - (m1 - m2) * (m1 - m2)) * (2 * (product.samples[index] - m1 * m2) + 0.0009)
            structure.samples[index] = max(0, 1 - alike / (variances + 0.0009))
            let change = (1 + abs(second.samples[index] - m2)) / (1 + abs(first.samples[index] - m1)) - 1
            ringing.samples[index] = max(0, change)
            blur.samples[index] = max(0, -change)
        }
        return (structure, ringing, blur)
    }

    private static func blurred(_ map: Map) -> Map {
        RecursiveGaussian.filteredRows(RecursiveGaussian.filteredRows(map).transposed).transposed
    }
}
