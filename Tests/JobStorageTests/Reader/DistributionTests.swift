import JobStorage
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

    @Test func boundsHoldForTheSharesOfRandomValues() {
        var generator = SeededGenerator(seed: 5)
        let values = (0..<5000).map { _ in Int.random(in: 1...1_000_000, using: &generator) }
        var distribution = Distribution()
        for value in values { distribution.add(value) }
        #expect(distribution.count == 5000)
        #expect(distribution.sum == values.reduce(0, +))
        #expect(distribution.maximum == values.max())
        let sorted = values.sorted()
        for share in [0.01, 0.5, 0.95, 0.99, 1] {
            let exact = sorted[Int((share * 5000).rounded(.up)) - 1]
            let bound = distribution.bound(ofShare: share)
            #expect(bound >= exact && Double(bound) <= Double(exact) * 1.3, "\(share): \(exact), \(bound)")
        }
        #expect(Distribution().bound(ofShare: 0.5) == 0)
    }
}
