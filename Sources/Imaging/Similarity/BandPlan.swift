internal import Foundation

/// A division of hashes into bands of bits, such that two hashes within a distance nearly agree in at least one band.
///
/// Of bands that may differ in r₁, r₂, … bits, one does if the hashes differ in fewer bits than (r₁ + 1) + (r₂ + 1) + …: the
/// pigeonhole principle, as in "Fast Exact Search in Hamming Space with Multi-Index Hashing" (Norouzi, Punjani, Fleet, 2014).
struct BandPlan: Sendable {
    /// A run of bits.
    struct Band: Sendable {
        /// The lowest bit.
        let first: Int
        /// The number of bits.
        let bits: Int
        /// The most bits in which two hashes may differ there to be compared.
        let differing: Int

        /// The patterns of differing bits.
        var masks: [UInt32] {
            var masks: [UInt32] = [0]
            var last: [UInt32] = [0]
            for _ in 0..<differing {
                // Each pattern gets one more bit, above its highest.
                last = last.flatMap { mask in
                    (UInt32.bitWidth
                        - mask.leadingZeroBitCount..<max(bits, UInt32.bitWidth - mask.leadingZeroBitCount))
                        .map { mask | 1 << UInt32($0) }
                }
                masks += last
            }
            return masks
        }

        var maskCount: Double {
            var (count, term) = (1.0, 1.0)
            for bit in 0..<min(differing, bits) {
                term *= Double(bits - bit) / Double(bit + 1)
                count += term
            }
            return count
        }

        /// True if two hashes agree there, but for so many bits.
        func matches(_ one: SIMD4<UInt64>, _ other: SIMD4<UInt64>) -> Bool {
            guard bits > 0 else { return true }
            let difference = one ^ other
            let (word, shift) = (first / 64, first % 64)
            var value = difference[word] >> UInt64(shift)
            if shift + bits > 64 { value |= difference[word + 1] << UInt64(64 - shift) }
            return (value & (1 << UInt64(bits) - 1)).nonzeroBitCount <= differing
        }
    }

    /// The most bits of a band, whose table has 2^24 entries of four bytes.
    private static let mostBits = 24

    /// The bands that have to be examined.
    let bands: [Band]

    /// Plans the search of all pairs among `count` hashes: the number of bands that takes the fewest steps.
    init(count: Int, distance: Int) {
        var best = [Band(first: 0, bits: 0, differing: 0)]
        var least = Self.steps(best, count: count)
        for number in 1...PerceptualHash.bitCount {
            let bands = Self.divided(into: number, distance: distance)
            guard bands.allSatisfy({ $0.bits <= Self.mostBits && $0.differing <= $0.bits }) else { continue }
            let steps = Self.steps(bands, count: count)
            if steps < least { (best, least) = (bands, steps) }
        }
        bands = best
    }

    /// Divides the bits evenly; the narrower bands may differ in one bit more, if the distance is no multiple of them.
    private static func divided(into number: Int, distance: Int) -> [Band] {
        let (bits, wider) = PerceptualHash.bitCount.quotientAndRemainder(dividingBy: number)
        let (differing, more) = (distance + 1).quotientAndRemainder(dividingBy: number)
        var first = 0
        return (0..<number).compactMap { index in
            let band = Band(
                first: first,
                bits: bits + (index >= number - wider ? 1 : 0),
                differing: differing + (index < more ? 1 : 0) - 1
            )
            first += band.bits
            return band.differing < 0 ? nil : band
        }
    }

    /// The steps that a search takes, if all bits are random: each pattern is a pass over half of the hashes, which meet the others.
    ///
    /// To find the partners of a hash takes as long as to compare it with eight (measured with 1,000,000 and 10,000,000 hashes).
    private static func steps(_ bands: [Band], count: Int) -> Double {
        let count = Double(count)
        return bands.reduce(0) { sum, band in
            let keys = exp2(Double(band.bits))
            return sum + keys + 8 * count + band.maskCount * (8 * count + count * count / keys) / 2
        }
    }
}
