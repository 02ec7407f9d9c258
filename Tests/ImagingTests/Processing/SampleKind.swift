import Foundation
import Imaging
import TestSupport

/// The kinds of images that every operation must take, with noise in them.
enum SampleKind: String, CaseIterable {
    case gray, grayAlpha, rgb, rgba, ycbcr, gray16, rgb16, rgba16

    var isWide: Bool { rawValue.hasSuffix("16") }

    /// Noise of this kind; the same for the same seed.
    func image(_ width: Int, _ height: Int, seed: UInt64 = 7) throws -> Image {
        var generator = SeededGenerator(seed: seed)
        if isWide {
            let type = self == .gray16 ? 0 : self == .rgb16 ? 2 : 6
            let channels = self == .gray16 ? 1 : self == .rgb16 ? 3 : 4
            var png = CraftedPNG(width: width, height: height, depth: 16, colorType: type)
            for _ in 0..<height {
                png.raw.append(0)
                for _ in 0..<width * channels * 2 { png.raw.append(.random(in: 0...255, using: &generator)) }
            }
            return try ImageDecoder.decode(png.data, bitDepth: 16)
        }
        let noise = try Photographs.pattern(width, height) { _, _ in
            (0..<4).map { _ in .random(in: 0...255, using: &generator) }
        }
        switch self {
        case .rgba: return noise
        case .grayAlpha: return try Grayscale().apply(to: noise)
        case .gray: return try Grayscale().apply(to: try Flatten().apply(to: noise))
        case .ycbcr:
            let options = JPEGOptions(quality: 100, subsampling: .s420)
            return try ImageDecoder.decode(try ImageEncoder.encode(noise, as: .jpeg(options)))
        default: return try Flatten().apply(to: noise)
        }
    }
}

extension Plane {
    /// The samples as rows of numbers.
    var rows: [[Double]] {
        withUnsafeBytes { bytes in
            (0..<height).map { y in
                (0..<width).map { x in
                    bitDepth == 16
                        ? Double(bytes.loadUnaligned(fromByteOffset: y * stride + 2 * x, as: UInt16.self))
                        : Double(bytes[y * stride + x])
                }
            }
        }
    }
}

extension Image {
    /// The largest sample of a channel.
    var most: Double { bitDepth == 16 ? 65_535 : 255 }
    /// The channels without alpha.
    var colors: [Plane] { hasAlpha ? planes.dropLast() : planes }
    /// The alpha channel as rows of 0 to 1, all 1 if there is none.
    var opacity: [[Double]] {
        guard hasAlpha, let plane = planes.last else {
            return Array(repeating: Array(repeating: 1, count: size.width), count: size.height)
        }
        return plane.rows.map { $0.map { $0 / most } }
    }
}

/// The largest difference between two lists of rows.
func largestDifference(_ one: [[Double]], _ other: [[Double]]) -> Double {
    guard one.count == other.count, one.first?.count == other.first?.count else { return .infinity }
    return zip(one, other).flatMap { zip($0, $1).map { abs($0 - $1) } }.max() ?? 0
}

/// Gaussian blur by the book: all weights up to eight sigma, edges that go on.
func referenceBlur(_ rows: [[Double]], sigma: Double) -> [[Double]] {
    let radius = Int((8 * sigma).rounded(.up))
    let weights = (-radius...radius).map { exp(-0.5 * Double($0 * $0) / (sigma * sigma)) }
    let sum = weights.reduce(0, +)
    func line(_ values: [Double]) -> [Double] {
        values.indices.map { index in
            weights.indices.reduce(0) { total, weight in
                total + weights[weight] * values[min(max(0, index + weight - radius), values.count - 1)]
            } / sum
        }
    }
    return transposed(transposed(rows.map(line)).map(line))
}

private func transposed(_ rows: [[Double]]) -> [[Double]] {
    (rows.first ?? []).indices.map { x in rows.map { $0[x] } }
}
