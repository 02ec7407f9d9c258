import Originals
import Testing

struct HostBreakerTests {
    /// Fails `count` requests, each started when it fails.
    private func fail(_ breaker: inout HostBreaker, _ count: Int, at seconds: Double) {
        for _ in 0..<count { breaker.failed(requestStarted: .seconds(seconds), at: .seconds(seconds)) }
    }

    @Test func opensAfterFiveFailuresInARow() {
        var breaker = HostBreaker()
        fail(&breaker, 4, at: 1)
        #expect(!breaker.isOpen)
        breaker.answered()
        fail(&breaker, 4, at: 2)
        #expect(breaker.slots(of: 6, at: .seconds(2)) == 6)
        fail(&breaker, 1, at: 3)
        #expect(breaker.isOpen)
        #expect(breaker.openUntil == .seconds(33))
        #expect(breaker.slots(of: 6, at: .seconds(32)) == 0)
        #expect(breaker.slots(of: 6, at: .seconds(33)) == 1)
    }

    @Test func requestsUnderWayWhenItOpenedDoNotCount() {
        var breaker = HostBreaker()
        fail(&breaker, 5, at: 3)
        breaker.failed(requestStarted: .seconds(2), at: .seconds(40))
        #expect(breaker.failStreak == 5)
        #expect(breaker.openUntil == .seconds(33))
    }

    @Test func doublesItsPauseThenGivesTheHostUp() {
        var breaker = HostBreaker()
        fail(&breaker, 5, at: 0)
        fail(&breaker, 1, at: 30)
        #expect(breaker.openUntil == .seconds(90))
        #expect(!breaker.isDown)
        fail(&breaker, 1, at: 90)
        #expect(breaker.isDown)
        #expect(breaker.slots(of: 6, at: .seconds(1e6)) == 0)
    }

    @Test func thePauseHasAnEnd() {
        var policy = HostBreaker.Policy()
        policy.openings = 100
        var breaker = HostBreaker(policy: policy)
        fail(&breaker, 5, at: 0)
        var now = Duration.zero
        for _ in 0..<60 {
            #expect((.seconds(30) ... .seconds(600)).contains(breaker.openUntil - now))
            now = breaker.openUntil
            breaker.failed(requestStarted: now, at: now)
        }
        #expect(breaker.openUntil == now + .seconds(600))
    }

    @Test func anAnswerClosesIt() {
        var breaker = HostBreaker()
        fail(&breaker, 6, at: 0)
        breaker.answered()
        #expect(!breaker.isOpen && breaker.failStreak == 0)
    }

    @Test(arguments: [(0, 0), (3, 3), (5, 6), (7, 6), (1_000, 6), (-4, 0)])
    func aLaterRunTriesAHostThatDidNotAnswerOnce(stored: Int, restored: Int) {
        var breaker = HostBreaker()
        breaker.restore(failStreak: stored)
        #expect(breaker.failStreak == restored)
        #expect(!breaker.isDown)
        guard stored >= 5 else { return }
        #expect(breaker.slots(of: 6, at: .zero) == 1)
        fail(&breaker, 1, at: 1)
        #expect(breaker.isDown)
    }

    @Test func sixtyServerErrorsInARowOpenItAndFewerDoNot() {
        var breaker = HostBreaker()
        func err(_ count: Int, at seconds: Double) {
            for _ in 0..<count { breaker.erred(requestStarted: .seconds(seconds), at: .seconds(seconds)) }
        }
        err(59, at: 1)
        #expect(!breaker.isOpen)
        #expect(breaker.slots(of: 6, at: .seconds(1)) == 1, "one more may be sent")
        breaker.answered()
        #expect(breaker.slots(of: 6, at: .seconds(1)) == 6)
        err(57, at: 2)
        #expect(breaker.slots(of: 6, at: .seconds(2)) == 3)
        err(3, at: 3)
        #expect(breaker.isOpen)
        #expect(breaker.openUntil == .seconds(33))
        #expect(breaker.slots(of: 6, at: .seconds(32)) == 0)
        // The try that is let through decides.
        err(1, at: 33)
        #expect(breaker.openUntil == .seconds(93))
        err(1, at: 93)
        #expect(breaker.isDown)
        breaker.answered()
        #expect(!breaker.isDown && breaker.slots(of: 6, at: .seconds(94)) == 6)
    }

    @Test func aServerErrorIsAnAnswerAfterFailures() {
        var breaker = HostBreaker()
        fail(&breaker, 5, at: 0)
        breaker.erred(requestStarted: .seconds(30), at: .seconds(30))
        #expect(!breaker.isOpen)
    }
}
