internal import Foundation

/// The search for the lowest quality whose file has at least a score.
///
/// Scores grow with the quality along a curve that is another one for each picture. What they lack of 100 is mostly as many times what
/// pictures usually lack at a quality, so a picture's curve is a straight line where both are logarithms. The first quality is the
/// usual one for the score, the second one is on the line of slope 1 through the first file, and the next ones are on the line through the
/// two files nearest to the floor: on both of its sides as soon as there are such files (regula falsi).
struct QualitySearch {
    /// The settings that the search varies.
    struct Setting: Hashable, Sendable {
        let quality: Int
        /// True for a file halfway to the next lower quality that is tried.
        var isHalfLower = false
    }

    struct Trial: Sendable {
        let setting: Setting
        let data: Data
        let score: Double

        fileprivate var quality: Int { setting.quality }
    }

    /// The most files that are encoded.
    static let mostTrials = 6
    /// A file whose score is at most this far above the floor is not made smaller: such scores look alike.
    static let tolerance = 2.0

    let floor: Double
    /// The qualities that make different files, rising.
    let qualities: [Int]
    /// The scores that pictures usually have at rising qualities.
    let usual: [(quality: Double, score: Double)]
    /// The bytes from which on a file is of no use; nil if any size is of use.
    var most: Int?

    /// The score that is aimed at, nearer to the floor than to the end of those that are taken, for the sake of bytes.
    private var aim: Double { floor + 0.9 }

    /// Returns the file of the lowest quality that was found to have the floor, or that of the highest quality if none has.
    ///
    /// Encodes at most `mostTrials` files, and each setting once.
    func run(_ encode: (Setting) throws(ImagingError) -> Trial) throws(ImagingError) -> Trial {
        let usual = usualQuality(of: Self.likeness(aim))
        var trials = [try encode(Setting(quality: Self.nearest(to: usual, in: qualities[...])))]
        while true {
            let below = trials.filter { $0.score < floor }.max { $0.quality < $1.quality }
            let above = trials.filter { $0.score >= floor }.min { $0.quality < $1.quality }
            let best = above ?? below ?? trials[0]
            if let above, above.score <= floor + Self.tolerance || above.quality == qualities.first {
                return above
            }
            if trials.count == Self.mostTrials { return best }
            let left = qualities.drop { $0 <= below?.quality ?? .min }.prefix { $0 < above?.quality ?? .max }
            guard let highest = left.last else {
                return try above.map { (above) throws(ImagingError) in try half(below: above, encode) }
                    ?? best
            }
            // Files grow with their quality, but for those of flat drawings, which shrink by a tenth at some steps.
            if let below, let most, below.data.count > most + most / 2 { return best }
            // The last file is one that has the floor, if any has.
            let isLast = trials.count == Self.mostTrials - 1 && above == nil
            let next = next(after: trials, below: below, above: above)
            trials.append(try encode(Setting(quality: isLast ? highest : Self.nearest(to: next, in: left))))
        }
    }

    /// Returns a file that has the floor, or the one halfway to the next lower quality if that has it, too, in fewer bytes.
    private func half(
        below above: Trial,
        _ encode: (Setting) throws(ImagingError) -> Trial
    ) throws(ImagingError) -> Trial {
        let half = try encode(Setting(quality: above.quality, isHalfLower: true))
        return half.score >= floor && half.data.count < above.data.count ? half : above
    }

    /// Returns the quality to try next, which may lie beyond those that are left.
    private func next(after trials: [Trial], below: Trial?, above: Trial?) -> Double {
        if let below, let above { return quality(on: [below, above]) }
        let nearest = trials.sorted { abs($0.score - aim) < abs($1.score - aim) }.prefix(2)
        let guess = quality(on: nearest.sorted { $0.quality < $1.quality })
        // Further away, steps double.
        guard trials.count > 2 else { return guess }
        let step = Double(2 * abs(trials[trials.count - 1].quality - trials[trials.count - 2].quality))
        if let below { return max(guess, Double(below.quality) + step) }
        return above.map { min(guess, Double($0.quality) - step) } ?? guess
    }

    /// Returns the quality with the score that is aimed at, on the line through one file or two.
    private func quality(on files: [Trial]) -> Double {
        let (first, last) = (files[0], files[files.count - 1])
        let (start, end) = (usualLikeness(at: first.quality), usualLikeness(at: last.quality))
        let rise = Self.likeness(last.score) - Self.likeness(first.score)
        // A curve that does not grow points far away, and is stopped by the files on both sides.
        let slope = files.count == 1 ? 1 : min(max(rise / (end - start), 0.2), 5)
        return usualQuality(of: start + (Self.likeness(aim) - Self.likeness(first.score)) / slope)
    }

    /// The logarithm of what a score lacks of 100, so that it grows with the score.
    private static func likeness(_ score: Double) -> Double { -log(max(100 - score, 1)) }

    private func usualLikeness(at quality: Int) -> Double {
        Self.value(at: Double(quality), on: usual.map { ($0.quality, Self.likeness($0.score)) })
    }

    private func usualQuality(of likeness: Double) -> Double {
        Self.value(at: likeness, on: usual.map { (Self.likeness($0.score), $0.quality) })
    }

    /// Returns the value at a place on a line through points; beyond its ends, along its last parts.
    private static func value(at place: Double, on points: [(place: Double, value: Double)]) -> Double {
        let next = points.dropFirst().dropLast().firstIndex { place <= $0.place } ?? points.count - 1
        let (from, to) = (points[next - 1], points[next])
        return from.value + (place - from.place) * (to.value - from.value) / (to.place - from.place)
    }

    private static func nearest(to quality: Double, in qualities: ArraySlice<Int>) -> Int {
        qualities.min { abs(Double($0) - quality) < abs(Double($1) - quality) } ?? 0
    }
}
