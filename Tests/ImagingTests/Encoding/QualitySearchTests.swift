import Foundation
@testable import Imaging
import TestSupport
import Testing

/// The search for the lowest quality with a score, among files that are made up.
@Suite struct QualitySearchTests {
    private typealias Setting = QualitySearch.Setting

    /// Runs the search of JPEGs at a floor, whose files grow with the quality, and returns what it found and tried.
    private func run(
        floor: Double,
        _ score: (Double) -> Double
    ) throws -> (found: QualitySearch.Trial, tried: [Setting]) {
        var tried: [Setting] = []
        let search = try #require(EncodingFormat.jpeg().qualitySearches(floor: floor).first).search
        let found = try search.run { setting in
            tried.append(setting)
            return QualitySearch.Trial(
                setting: setting,
                data: Data(count: 2 * setting.quality - (setting.isHalfLower ? 1 : 0)),
                score: score(setting.place)
            )
        }
        return (found, tried)
    }

    @Test("a search tries no setting twice and at most six, and ends at the edge of the floor")
    func edge() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var generator = SeededGenerator(seed: seed)
        var counts: [Int] = []
        var close = 0
        for _ in 0..<2000 {
            // Rising curves: a random height, a random bend.
            let end = Double.random(in: 40...99, using: &generator)
            let start = Double.random(in: -60...30, using: &generator)
            let bend = Double.random(in: 0.2...1.5, using: &generator)
            func score(_ place: Double) -> Double { start + (end - start) * pow(place / 100, bend) }
            let floor = Double.random(in: 1...99, using: &generator)
            let (found, tried) = try run(floor: floor, score)
            let report: Comment = "seed \(seed), floor \(floor), \(start) to \(end), bend \(bend): \(tried)"
            #expect(Set(tried).count == tried.count && tried.count <= QualitySearch.mostTrials, report)
            #expect(tried.allSatisfy { (1...100).contains($0.quality) }, report)
            counts.append(tried.count)
            guard end >= floor else {
                #expect(found.setting.quality == 100, report)
                continue
            }
            #expect(found.score >= floor, report)
            #expect(tried.map(\.place).filter { score($0) >= floor }.min() == found.setting.place, report)
            if found.score <= floor + QualitySearch.tolerance || found.setting.quality == 1 { close += 1 }
            // Whoever ends far above the floor has tried all that is left, or six.
            let isNear =
                score(found.setting.place - 1) < floor || found.score <= floor + QualitySearch.tolerance
            #expect(isNear || found.setting.quality == 1 || tried.count == QualitySearch.mostTrials, report)
        }
        #expect(counts.reduce(0, +) < 4 * counts.count, "seed \(seed)")
        #expect(close > counts.count / 2, "seed \(seed)")
    }

    @Test(
        "a step of more than the tolerance is halved, if the half has the floor",
        arguments: [(61.0, true), (59, false)]
    )
    func half(between: Double, isTaken: Bool) throws {
        let (found, tried) = try run(floor: 60) { place in
            place < 33.25 ? 54 + place / 8 : place > 33.75 ? 60 + place / 12 : between
        }
        #expect(found.setting == Setting(quality: 34, isHalfLower: isTaken))
        #expect(
            tried.last == Setting(quality: 34, isHalfLower: true) && tried.count <= QualitySearch.mostTrials
        )
    }

    @Test("a file that is close, and the lowest quality, end the search")
    func ends() throws {
        #expect(try run(floor: 60) { _ in 61.9 }.tried.count == 1)
        let (found, tried) = try run(floor: 60) { _ in 70 }
        #expect(found.setting == Setting(quality: 1) && !tried.contains { $0.isHalfLower })
    }
}

extension QualitySearch.Setting {
    /// The place on the scale of qualities.
    fileprivate var place: Double { Double(quality) - (isHalfLower ? 0.5 : 0) }
}
