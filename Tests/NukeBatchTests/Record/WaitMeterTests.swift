import JobStorage
import Testing

@testable import NukeBatch
@testable import Originals

@Suite struct WaitMeterTests {
    private func wait(_ host: String, _ reason: HostRateLimiter.Waiting.Reason) -> HostRateLimiter.Waiting {
        HostRateLimiter.Waiting(host: host, count: 1, reason: reason, remaining: nil)
    }

    @Test("each host that waits adds the time since the last sample, by cause")
    func causes() {
        let start = ContinuousClock.now
        var meter = WaitMeter(now: start)
        meter.add([wait("a", .held), wait("b", .held), wait("c", .outage)], now: start + .seconds(1))
        meter.add([wait("a", .held)], now: start + .seconds(1.5))
        meter.add([], now: start + .seconds(9))
        meter.add([wait("a", .rate)], now: start + .seconds(10))
        let taken = meter.take(now: start + .seconds(10))
        #expect(
            taken.amounts == [
                Counter("waiting_seconds", detail: "retry_after"): 2.5,
                Counter("waiting_seconds", detail: "outage"): 1,
                Counter("waiting_seconds", detail: "rate"): 1,
            ]
        )
    }

    @Test("it is committed every three seconds, once, and at the end")
    func commits() {
        let start = ContinuousClock.now
        var meter = WaitMeter(now: start)
        meter.add([wait("a", .concurrency)], now: start + .seconds(2))
        #expect(meter.take(now: start + .seconds(2)).isEmpty)
        #expect(!meter.take(now: start + .seconds(3)).isEmpty)
        #expect(meter.take(all: true, now: start + .seconds(9)).isEmpty)
        meter.add([wait("a", .concurrency)], now: start + .seconds(10))
        #expect(!meter.take(all: true, now: start + .seconds(10)).isEmpty)
    }

    @Test("every reason of a rate limiter has a cause")
    func names() {
        let reasons: [HostRateLimiter.Waiting.Reason] = [
            .held, .rate, .slowedDown, .concurrency, .unreachable, .outage,
        ]
        #expect(Set(reasons.map { WaitCause($0) }) == Set(WaitCause.allCases))
    }
}
