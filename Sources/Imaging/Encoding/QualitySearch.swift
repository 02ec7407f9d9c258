internal import Foundation

/// The search for the lowest quality whose file has at least a score.
///
/// Scores grow with the quality along a curve that bends, and that is another one for each picture. The first quality is the usual
/// one for the score, the second one lies as far from it as the usual curve says, and the next ones are on the line through the two
/// files nearest to the floor: on both of its sides as soon as there are such files (regula falsi). Before, steps double.
struct QualitySearch {
    /// One file that was tried.
    struct Trial: Sendable {
        let quality: Int
        let data: Data
        let score: Double
    }

    /// The most files that are encoded.
    static let mostTrials = 6
    /// A file whose score is at most this far above the floor is not made smaller: such scores look alike.
    static let tolerance = 2.0

    let floor: Double
    let qualities: ClosedRange<Int>
    /// The scores that pictures usually have at rising qualities.
    let usual: [(quality: Double, score: Double)]
    /// The bytes from which on a file is of no use; nil if any size is of use.
    var most: Int?

    /// The score that is aimed at, nearer to the floor than to the end of those that are taken: curves mostly bend down, so that files
    /// on a line through two others are better than it says.
    private var aim: Double { floor + 0.75 }

    /// Returns the file of the lowest quality that was found to have the floor, or that of the highest quality if none has.
    ///
    /// Encodes at most `mostTrials` files, and each quality once.
    func run(_ encode: (Int) throws(ImagingError) -> Trial) throws(ImagingError) -> Trial {
        var trials = [try encode(clamped(usualQuality(of: aim)))]
        while true {
            let below = trials.filter { $0.score < floor }.max { $0.quality < $1.quality }
            let above = trials.filter { $0.score >= floor }.min { $0.quality < $1.quality }
            if let above, above.score <= floor + Self.tolerance || above.quality == qualities.lowerBound {
                return above
            }
            if let below, below.quality >= (above?.quality ?? qualities.upperBound + 1) - 1 {
                return above ?? below
            }
            // Files grow with their quality, but for those of flat drawings, which shrink by a tenth at some steps.
            if let below, let most, below.data.count > most + most / 2 { return above ?? below }
            if trials.count == Self.mostTrials, let last = above ?? below { return last }
            // The last file is one that has the floor, if any has.
            let isLast = trials.count == Self.mostTrials - 1 && above == nil
            let least = below.map { $0.quality + 1 } ?? qualities.lowerBound
            let most = above.map { $0.quality - 1 } ?? qualities.upperBound
            let quality = isLast ? most : clamped(next(after: trials, below: below, above: above))
            trials.append(try encode(min(max(quality, least), most)))
        }
    }

    /// Returns the quality to try next, which may lie beyond those that are left.
    private func next(after trials: [Trial], below: Trial?, above: Trial?) -> Double {
        if let below, let above { return quality(between: below, and: above) }
        let guess = guess(trials)
        guard trials.count > 1 else { return guess }
        let step = Double(2 * abs(trials[trials.count - 1].quality - trials[trials.count - 2].quality))
        if let below { return max(guess, Double(below.quality) + step) }
        return above.map { min(guess, Double($0.quality) - step) } ?? guess
    }

    /// Returns the quality that the files which are nearest to the aim point to.
    private func guess(_ trials: [Trial]) -> Double {
        let nearest = trials.sorted { abs($0.score - aim) < abs($1.score - aim) }.prefix(2).sorted {
            $0.quality < $1.quality
        }
        let (first, last) = (nearest[0], nearest[nearest.count - 1])
        guard nearest.count == 2 else {
            return Double(first.quality) + usualQuality(of: aim) - usualQuality(of: first.score)
        }
        return quality(between: first, and: last)
    }

    /// Returns the quality with the score that is aimed at, on the line through two files.
    private func quality(between first: Trial, and last: Trial) -> Double {
        // A curve that does not grow points far away, and is stopped by the files on both sides.
        let slope = max((last.score - first.score) / Double(last.quality - first.quality), 0.01)
        return Double(first.quality) + (aim - first.score) / slope
    }

    /// Returns the quality at which pictures usually have a score; beyond the curve's ends, along its last lines.
    private func usualQuality(of score: Double) -> Double {
        let next = usual.dropFirst().dropLast().firstIndex { score <= $0.score } ?? usual.count - 1
        let (from, to) = (usual[next - 1], usual[next])
        return from.quality + (score - from.score) * (to.quality - from.quality) / (to.score - from.score)
    }

    private func clamped(_ quality: Double) -> Int {
        Int(min(max(quality, Double(qualities.lowerBound)), Double(qualities.upperBound)).rounded())
    }
}
