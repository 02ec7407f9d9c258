import Foundation
import Testing

@testable import Originals
@testable import NukeBatch

@Suite struct HostWaitTests {
    private typealias Waiting = HostRateLimiter.Waiting

    private let now = Date(timeIntervalSince1970: 1_000_000)

    private func waiting(_ reason: Waiting.Reason, _ remaining: Duration?, host: String = "a.example")
        -> Waiting
    {
        Waiting(host: host, count: 1, reason: reason, remaining: remaining)
    }

    @Test("waits are named by their reason, with their end")
    func reasons() throws {
        let reasons: [(Waiting.Reason, String)] = [
            (.held, "retry_after"), (.unreachable, "unreachable"), (.outage, "outage"), (.rate, "rate"),
        ]
        for (reason, name) in reasons {
            let wait = try #require(HostWait(waiting(reason, .milliseconds(2500)), now: now))
            #expect(wait.reason == name)
            #expect(wait.host == "a.example")
            #expect(wait.until == now.addingTimeInterval(2.5))
        }
        #expect(HostWait(waiting(.held, nil), now: now)?.until == nil)
        #expect(HostWait(waiting(.concurrency, .seconds(9)), now: now) == nil)
    }

    @Test("a turn that comes within a second is no wait")
    func turns() {
        #expect(HostWait(waiting(.rate, .seconds(1)), now: now) == nil)
        #expect(HostWait(waiting(.rate, .milliseconds(1001)), now: now) != nil)
        #expect(HostWait(waiting(.rate, nil), now: now) == nil)
        #expect(HostWait(waiting(.held, .milliseconds(1)), now: now) != nil)
    }

    @Test("a wait is told once, until it ends")
    func news() {
        var waits = HostWaits()
        let held = waiting(.held, .seconds(10))
        #expect(waits.news([held], now: now).map(\.host) == ["a.example"])
        #expect(waits.news([waiting(.held, .seconds(8))], now: now.addingTimeInterval(2)).isEmpty)
        let other = waiting(.held, .seconds(7), host: "b.example")
        let both = [waiting(.held, .seconds(7)), other]
        #expect(waits.news(both, now: now.addingTimeInterval(3)).map(\.host) == ["b.example"])
        #expect(waits.news([], now: now).isEmpty)
        #expect(waits.news([held], now: now).count == 1)
    }

    @Test("another end or another reason is another wait")
    func changes() {
        var waits = HostWaits()
        #expect(waits.news([waiting(.held, .seconds(10))], now: now).count == 1)
        #expect(waits.news([waiting(.held, .milliseconds(10_400))], now: now).isEmpty)
        // Half a second from the wait that was told, not from the one before.
        #expect(waits.news([waiting(.held, .milliseconds(10_500))], now: now).count == 1)
        #expect(waits.news([waiting(.unreachable, .milliseconds(10_500))], now: now).count == 1)
        #expect(waits.news([waiting(.unreachable, nil)], now: now).count == 1)
        #expect(waits.news([waiting(.unreachable, nil)], now: now).isEmpty)
    }

    @Test("turns that follow each other are one wait")
    func series() {
        for reason in [Waiting.Reason.rate, .outage] {
            var waits = HostWaits()
            #expect(waits.news([waiting(reason, .seconds(5))], now: now).count == 1)
            #expect(waits.news([waiting(reason, .seconds(50))], now: now).isEmpty)
        }
    }
}
