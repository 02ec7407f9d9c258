import Originals
import TestSupport
import Testing

struct HostRateTests {
    /// A limit of nginx (`limit_req` with `nodelay`): a leaky bucket that refuses what overflows it.
    struct LeakyBucket {
        let rate: Double
        let burst: Double
        var excess = 0.0
        var last: Double?

        mutating func accepts(at now: Double) -> Bool {
            let next = last.map { max(0, excess - rate * (now - $0) + 1) } ?? 0
            guard next <= burst else { return false }
            excess = next
            last = now
            return true
        }
    }

    struct Run {
        var requests = 0
        var duration = 0.0
        var starts: [Double] = []
        var learned: Double?
    }

    /// Loads `count` items, six at once, from a server that answers after `latency` seconds, on simulated time.
    func simulate(
        _ count: Int,
        limit: Double,
        burst: Double = 5,
        latency: Double,
        retryAfter: Double = 1,
        learned: Double? = nil
    ) -> Run {
        var rate = HostRate(limit: 80, burst: 25)
        if let learned { rate.restore(learned, at: .zero) }
        var server = LeakyBucket(rate: limit, burst: burst)
        var run = Run()
        var now = 0.0
        var (left, done) = (count, 0)
        var inFlight: [(start: Double, end: Double, isAccepted: Bool)] = []
        while done < count {
            while left > 0, inFlight.count < 6, rate.take(at: .seconds(now)) {
                left -= 1
                run.requests += 1
                run.starts.append(now)
                inFlight.append((now, now + latency, server.accepts(at: now)))
            }
            var next = inFlight.map(\.end).min() ?? .infinity
            if left > 0, inFlight.count < 6 {
                next = min(next, rate.nextToken(at: .seconds(now)) / .seconds(1))
            }
            now = max(now, next)
            for answer in inFlight where answer.end <= now {
                if answer.isAccepted {
                    done += 1
                    rate.answered(requestStarted: .seconds(answer.start), at: .seconds(now))
                } else {
                    left += 1
                    rate.refused(requestStarted: .seconds(answer.start), at: .seconds(now))
                    rate.hold(until: .seconds(now + retryAfter))
                }
            }
            inFlight.removeAll { $0.end <= now }
        }
        run.duration = now
        run.learned = rate.learned
        return run
    }

    @Test(arguments: [0.0005, 0.005, 0.02, 0.05, 0.1, 0.2])
    func findsTheRateOfAServerThatAllowsTwenty(latency: Double) {
        let run = simulate(200, limit: 20, latency: latency)
        #expect(run.requests <= 210, "\(run.requests) requests")
        #expect(run.duration <= 12.3, "\(run.duration) s")
    }

    /// The learned rate lets each later run start without refusals by the server.
    @Test(arguments: [0.0005, 0.005, 0.02, 0.05, 0.1])
    func knowsTheRateOfAServerThatAllowsTwenty(latency: Double) throws {
        var learned = try #require(simulate(200, limit: 20, latency: latency).learned)
        for _ in 0..<5 {
            let run = simulate(200, limit: 20, latency: latency, learned: learned)
            #expect(run.requests == 200, "\(run.requests) requests")
            #expect(run.duration <= 11, "\(run.duration) s")
            learned = try #require(run.learned)
        }
    }

    /// Many short runs neither forget what was learned nor creep away from it.
    @Test func shortRunsKeepWhatWasLearned() throws {
        var learned = 18.8
        for _ in 0..<50 {
            var rate = HostRate(limit: 80, burst: 25)
            rate.restore(learned, at: .zero)
            rate.answered(requestStarted: .seconds(0.5), at: .seconds(0.5))
            learned = try #require(rate.learned)
        }
        #expect(learned == 18.8)
    }

    @Test(arguments: [(5.0, 42.0), (50, 11.5), (200, 8.5)])
    func findsOtherRates(limit: Double, seconds: Double) {
        let run = simulate(400 / (limit < 10 ? 2 : 1), limit: limit, latency: 0.02)
        #expect(Double(run.requests) <= 400 * 1.05)
        #expect(run.duration <= seconds, "\(run.duration) s")
    }

    /// In any t seconds at most rate · t + burst tokens, whatever happens in between.
    @Test(arguments: 1...20)
    func neverGivesMoreThanItsLimit(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rate = HostRate(limit: 10, burst: 4)
        var now = 0.0
        var taken: [Double] = []
        for _ in 0..<600 {
            now += Double(random.next() % 1_000) / 10_000
            switch random.next() % 100 {
            case 0: rate.refused(requestStarted: .seconds(now), at: .seconds(now))
            case 1...20: rate.answered(requestStarted: .seconds(now), at: .seconds(now))
            case 21...24: rate.hold(until: .seconds(now + 0.3))
            default: if rate.take(at: .seconds(now)) { taken.append(now) }
            }
        }
        #expect(!taken.isEmpty)
        for (index, start) in taken.enumerated() {
            for (count, end) in taken[index...].enumerated() {
                #expect(Double(count + 1) <= 10 * (end - start) + 4 + 1e-6, "seed \(seed)")
            }
        }
    }

    /// A server that allows much at once, and one whose limit is a burst alone.
    @Test(arguments: [(20.0, 40.0, 20.5), (10, 20, 30.5), (20, 0, 14.5)])
    func findsTheRateBehindAnyBurst(limit: Double, burst: Double, seconds: Double) {
        let count = burst == 0 ? 200 : burst == 20 ? 300 : 400
        let run = simulate(count, limit: limit, burst: burst, latency: 0.02)
        #expect(Double(run.requests) <= Double(count) * 1.05, "\(run.requests) requests")
        #expect(run.duration <= seconds, "\(run.duration) s")
    }

    /// What is refused in the long run is one request for every two hundred.
    @Test func staysAtTheRateThatItFound() {
        let run = simulate(4000, limit: 20, latency: 0.02)
        #expect(run.requests <= 4040, "\(run.requests) requests")
        #expect(run.duration <= 1.08 * 4000 / 20, "\(run.duration) s")
    }

    @Test func anEpisodeLowersOnce() {
        var rate = HostRate(limit: 80, burst: 25)
        for _ in 0..<6 { _ = rate.take(at: .seconds(1)) }
        rate.refused(requestStarted: .seconds(1), at: .seconds(2))
        let isRefilled = rate.take(at: .seconds(2.01))
        #expect(!isRefilled)
        // A burst was refused.
        #expect(rate.rate == 20)
        for _ in 0..<5 { rate.refused(requestStarted: .seconds(1), at: .seconds(2.1)) }
        #expect(rate.rate == 20)
        rate.refused(requestStarted: .seconds(3), at: .seconds(3.1))
        #expect(rate.rate == 10)
        // Where it climbs to quickly: 0.85 of the rate that was too much.
        #expect(rate.learned == 17)
    }

    @Test func successRaisesItQuicklyThenSlowlyThenNoMore() {
        var rate = HostRate(limit: 80, burst: 25)
        rate.refused(requestStarted: .zero, at: .zero)
        for second in 1...4 { rate.answered(requestStarted: .seconds(second), at: .seconds(second)) }
        #expect(rate.rate == 68)
        rate.answered(requestStarted: .seconds(5), at: .seconds(5))
        #expect((68.1...68.4).contains(rate.rate))
        for second in 6...60 { rate.answered(requestStarted: .seconds(second), at: .seconds(second)) }
        #expect(rate.rate == 80)
        #expect(rate.learned == nil)
    }

    @Test func afterAnEpisodeItHoldsTwoTokensAtMost() {
        var rate = HostRate(limit: 80, burst: 25)
        rate.refused(requestStarted: .zero, at: .zero)
        let taken = (0..<25).filter { _ in rate.take(at: .seconds(100)) }
        #expect(taken.count == 2)
    }

    @Test func startsEmptyAfterAnUncleanEnd() {
        var rate = HostRate(limit: 10, burst: 5, idle: .zero, now: .seconds(3))
        let isFirst = rate.take(at: .seconds(3))
        #expect(!isFirst)
        let next = rate.nextToken(at: .seconds(3))
        #expect(next > .seconds(3.09) && next < .seconds(3.11))
        let isSecond = rate.take(at: next)
        #expect(isSecond)
    }

    @Test func savesUpNoMoreThanTimeHasPassed() {
        var rate = HostRate(limit: 10, burst: 5, idle: .milliseconds(250))
        #expect((0..<5).filter { _ in rate.take(at: .zero) }.count == 2)
        var full = HostRate(limit: 10, burst: 5, idle: .seconds(60))
        #expect((0..<9).filter { _ in full.take(at: .zero) }.count == 5)
        var unclear = HostRate(limit: 10, burst: 5, idle: .seconds(-60))
        #expect((0..<9).filter { _ in unclear.take(at: .zero) }.count == 0)
    }

    @Test func goesOnFromWhatWasLearned() {
        var rate = HostRate(limit: 80, burst: 25)
        rate.restore(18, at: .zero)
        #expect(rate.learned == 18)
        for second in 1...10 { rate.answered(requestStarted: .seconds(second), at: .seconds(second)) }
        #expect((18.6...19).contains(rate.rate))
        rate.restore(.nan, at: .seconds(11))
        rate.restore(900, at: .seconds(11))
        #expect(rate.rate < 21)
    }
}
