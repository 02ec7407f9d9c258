import Originals
import TestSupport
import Testing

/// The rate to an object store, which refuses a share of its requests and names no time.
struct RefusalShareTests {
    /// The figures of a simulated minute.
    private struct Minute {
        var admitted = 0
        var refused = 0
        /// The requests in the last ten seconds.
        var late = (admitted: 0, refused: 0)
        var rate = 0.0
        var learned: Double?
        var isRefusing = false
    }

    /// Asks for as much as the rate allows on simulated time, in steps of a millisecond, with answers after 20 ms.
    private func simulate(
        seconds: Double = 60,
        limit: Double = 1000,
        admits: (Double) -> Bool
    ) -> Minute {
        var rate = HostRate(limit: limit, burst: 100, namesNoTime: true)
        var minute = Minute()
        var inFlight: [(start: Double, isAdmitted: Bool)] = []
        for step in 0..<Int(seconds * 1000) {
            let now = Double(step) / 1000
            while let first = inFlight.first, first.start + 0.02 <= now {
                inFlight.removeFirst()
                let (start, end) = (Duration.seconds(first.start), Duration.seconds(now))
                if first.isAdmitted {
                    rate.answered(requestStarted: start, at: end)
                    minute.admitted += 1
                    if now >= seconds - 10 { minute.late.admitted += 1 }
                } else {
                    rate.refused(requestStarted: start, at: end)
                    minute.refused += 1
                    if now >= seconds - 10 { minute.late.refused += 1 }
                }
            }
            while rate.take(at: .seconds(now)) { inFlight.append((now, admits(now))) }
        }
        (minute.rate, minute.learned, minute.isRefusing) = (rate.rate, rate.learned, rate.isRefusing)
        return minute
    }

    private func random(_ share: Double, seed: UInt64) -> (Double) -> Bool {
        var random = SeededGenerator(seed: seed)
        return { _ in Double(random.next() % 10_000) >= share * 10_000 }
    }

    @Test(
        "a share that is refused at random costs that share, and not the rate",
        arguments: [0.005, 0.02, 0.05]
    )
    func refusesAtRandom(share: Double) {
        let minute = simulate(admits: random(share, seed: 1))
        #expect(Double(minute.admitted) > 60_000 * (1 - share) * 0.99, "\(minute)")
        #expect(minute.rate == 1000 && minute.learned == nil)
    }

    @Test(
        "a sick store that refuses much at any rate is asked for less, but not for less and less",
        arguments: [0.12, 0.3]
    )
    func refusesMuch(share: Double) {
        let minute = simulate(seconds: 300, admits: random(share, seed: 2))
        #expect((200...700).contains(minute.rate), "\(minute)")
        #expect(minute.late.admitted > 10 * 100, "\(minute)")
    }

    @Test(
        "the rate of a store that has one is found, and at most a tenth is refused then",
        arguments: [
            20.0, 100, 300, 900,
        ]
    )
    func findsALimit(limit: Double) {
        var server = HostRateTests.LeakyBucket(rate: limit, burst: limit / 10)
        let minute = simulate { server.accepts(at: $0) }
        #expect(Double(minute.late.admitted) > 0.85 * 10 * limit, "\(minute)")
        #expect(Double(minute.late.refused) < 0.1 * Double(minute.late.admitted), "\(minute)")
    }

    @Test(
        "while all is refused the rate falls to a hundredth, and it comes back within 20 s",
        arguments: [3.0, 30]
    )
    func storm(length: Double) {
        let during = simulate(seconds: 5 + length) { $0 < 5 }
        if length > 20 {
            #expect(during.rate == 10 && during.late.refused < 250 && during.isRefusing, "\(during)")
        }
        let after = simulate(seconds: 5 + length + 20) { $0 < 5 || $0 > 5 + length }
        #expect(after.rate >= 850 && !after.isRefusing, "\(after)")
    }

    @Test("a later run begins with what was borne")
    func remembers() throws {
        var server = HostRateTests.LeakyBucket(rate: 300, burst: 30)
        let learned = try #require(simulate { server.accepts(at: $0) }.learned)
        #expect((270...330).contains(learned))
        var rate = HostRate(limit: 1000, burst: 100, namesNoTime: true)
        rate.restore(learned, at: .zero)
        #expect(rate.rate == learned && rate.learned == learned)
    }
}
