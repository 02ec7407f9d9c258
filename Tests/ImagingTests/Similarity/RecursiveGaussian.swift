import Foundation

/// The Gaussian of sigma 1.5 as the sum of three truncated cosines, each a recursion of second order along a row; samples outside
/// are 0.
///
/// Source: D. Charalampidis, "Recursive implementation of the Gaussian filter using truncated cosine functions", IEEE Transactions on
/// Signal Processing 64 (2016).
enum RecursiveGaussian {
    private static let reach = 5  // N: 3.2795 sigma + 0.2546, rounded
    private static let sigma = 1.5

    /// The frequencies, and the amplitudes for which the sum, its second moment and its value at the ends are a Gaussian's.
    private static let (frequencies, amplitudes): ([Double], [Double]) = {
        let frequencies = [1, 3, 5].map { Double($0) * .pi / Double(2 * reach) }
        let signs = [1.0, -1, 1]
        let p = zip(signs, frequencies).map { $0 / tan($1 / 2) }
        let r = (0..<3).map { signs[$0] * p[$0] * p[$0] / sin(frequencies[$0]) }
        let rho = frequencies.map { exp(-sigma * sigma * $0 * $0 / 2) / Double(reach) }
        let d13 = p[0] * r[1] - r[0] * p[1], d35 = p[1] * r[2] - r[1] * p[2], d51 = p[2] * r[0] - r[2] * p[0]
        let (z1, z3) = (d35 / d13, d51 / d13)
        let wanted = [1, Double(reach * reach) - sigma * sigma, z1 * rho[0] + z3 * rho[1] + rho[2]]
        // Cramer's rule.
        let matrix = [p, r, [z1, z3, 1]]
        let whole = determinant(matrix)
        let amplitudes = (0..<3).map { column in
            var replaced = matrix
            for row in 0..<3 { replaced[row][column] = wanted[row] }
            return determinant(replaced) / whole
        }
        return (frequencies, amplitudes)
    }()

    private static func determinant(_ m: [[Double]]) -> Double {
        m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    }

    /// Filters each row.
    static func filteredRows(_ map: SSIMULACRA2Model.Map) -> SSIMULACRA2Model.Map {
        var result = map
        for y in 0..<map.height {
            var previous = [0.0, 0, 0], beforePrevious = [0.0, 0, 0]
            for n in (1 - reach)..<map.width {
                let (left, right) = (n - reach - 1, n + reach - 1)
                let sum =
                    (left >= 0 ? map.samples[y * map.width + left] : 0)
                    + (right < map.width ? map.samples[y * map.width + right] : 0)
                var outputs = [0.0, 0, 0]
                for k in 0..<3 {
                    outputs[k] =
                        -amplitudes[k] * cos(frequencies[k] * Double(reach + 1)) * sum
                        + 2 * cos(frequencies[k]) * previous[k] - beforePrevious[k]
                }
                (beforePrevious, previous) = (previous, outputs)
                if n >= 0 { result.samples[y * map.width + n] = outputs[0] + outputs[1] + outputs[2] }
            }
        }
        return result
    }
}
