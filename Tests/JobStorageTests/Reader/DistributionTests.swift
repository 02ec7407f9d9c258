@testable import JobStorage
import TestSupport
import Testing

struct DistributionTests {
    @Test func everyValueLiesWithinItsStep() {
        for value in Array(0...2000) + [9_999, 10_000, 10_001, 123_456_789, 1_000_000_000_000] {
            let step = Distribution.step(of: value)
            #expect(Distribution.upperBound(of: step) >= value, "\(value)")
            #expect(step == 0 || Distribution.upperBound(of: step - 1) < value, "\(value)")
        }
    }

    @Test func everyRankHasItsPlace() {
        var generator = SeededGenerator(seed: 5)
        let values = (0..<5000).map { _ in Int.random(in: 0...1_000_000, using: &generator) }
        var distribution = Distribution()
        for value in values { distribution.add(value) }
        #expect(distribution.count == 5000)
        #expect(distribution.sum == values.reduce(0, +))
        #expect(distribution.maximum == values.max())
        let sorted = values.sorted()
        for rank in [0, 1, 2499, 2500, 4999] {
            let place = distribution.place(ofRank: rank)
            let step = Distribution.step(of: sorted[rank])
            let first = sorted.firstIndex { Distribution.step(of: $0) == step }
            #expect(place?.step == step && place?.rank == rank - (first ?? 0))
        }
        #expect(distribution.place(ofRank: 5000) == nil)
    }
}
