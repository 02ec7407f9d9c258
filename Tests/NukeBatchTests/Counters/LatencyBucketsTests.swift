import Testing

@testable import NukeBatch

@Suite struct LatencyBucketsTests {
    @Test(
        "a request is in the first bucket that holds it",
        arguments: [
            (0, "0.01"), (0.01, "0.01"), (0.010001, "0.025"), (0.7, "1.0"), (1, "1.0"), (59.9, "60.0"),
            (60.001, "+Inf"), (86_400, "+Inf"),
        ]
    )
    func text(seconds: Double, bound: String) {
        #expect(LatencyBuckets.text(of: seconds) == bound)
    }

    @Test("bounds grow, and the last has none")
    func bounds() {
        #expect(LatencyBuckets.bounds == LatencyBuckets.bounds.sorted())
        #expect(LatencyBuckets.texts.count == LatencyBuckets.bounds.count + 1)
        #expect(LatencyBuckets.texts.last == "+Inf")
    }
}
