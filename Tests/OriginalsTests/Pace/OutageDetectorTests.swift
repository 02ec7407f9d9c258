import Originals
import Testing

struct OutageDetectorTests {
    /// Fails a request on each of `hosts` hosts in turn, `count` in all, every tenth of a second from `start` on.
    private func fail(_ detector: inout OutageDetector, _ count: Int, hosts: Int, from start: Double)
        -> [Bool]
    {
        (0..<count).map { number in
            let now = Duration.seconds(start + Double(number) / 10)
            return detector.failed(host: "\(number % hosts)", requestStarted: now, at: now)
        }
    }

    @Test func twentyFailuresOnFiveHostsAreAnOutage() {
        var detector = OutageDetector()
        let begins = fail(&detector, 20, hosts: 5, from: 0)
        #expect(begins == Array(repeating: false, count: 19) + [true])
        #expect(detector.began == .seconds(1.9))
    }

    @Test func fewHostsAreDownByThemselves() {
        var detector = OutageDetector()
        #expect(!fail(&detector, 500, hosts: 4, from: 0).contains(true))
        #expect(!detector.isSuspected)
    }

    @Test func anAnswerSpeaksAgainstIt() {
        var detector = OutageDetector()
        #expect(!fail(&detector, 19, hosts: 5, from: 0).contains(true))
        #expect(detector.isSuspected)
        let ends = detector.answered(host: "0", at: .seconds(1.9))
        #expect(!ends && !detector.isSuspected)
        #expect(!fail(&detector, 19, hosts: 5, from: 2).contains(true))
    }

    @Test func fewThatWorkAmongManyThatDoNot() {
        var detector = OutageDetector()
        _ = detector.answered(host: "works", at: .zero)
        #expect(!fail(&detector, 100, hosts: 40, from: 0.05).contains(true))
        // Once it fails too, or is silent for too long, it says nothing for the network.
        let begins = detector.failed(host: "works", requestStarted: .seconds(10), at: .seconds(10))
        #expect(begins)
        var silent = OutageDetector()
        _ = silent.answered(host: "works", at: .zero)
        #expect(fail(&silent, 100, hosts: 40, from: 0.05).firstIndex(of: true) == nil)
        #expect(fail(&silent, 1, hosts: 40, from: 10.05) == [true])
    }

    @Test func oldFailuresDoNotCount() {
        var detector = OutageDetector()
        for number in 0..<60 {
            let now = Duration.seconds(Double(number))
            let begins = detector.failed(host: "\(number)", requestStarted: now, at: now)
            #expect(!begins)
        }
    }

    @Test func probesAtGrowingDistancesUntilAnAnswer() throws {
        var detector = OutageDetector()
        _ = fail(&detector, 20, hosts: 5, from: 0)
        var now = try #require(detector.began)
        var pauses: [Duration] = []
        for _ in 0..<8 {
            #expect(!detector.mayProbe(at: now))
            let next = detector.nextProbe
            pauses.append(next - now)
            #expect(detector.mayProbe(at: next))
            detector.probe(host: "a", at: next)
            #expect(!detector.mayProbe(at: next + .seconds(1)))
            // A request that was under way before is no probe.
            _ = detector.failed(host: "a", requestStarted: .zero, at: next)
            #expect(detector.isProbing)
            now = next + .seconds(10)
            _ = detector.failed(host: "a", requestStarted: next, at: now)
        }
        #expect(pauses == [1, 1, 2, 4, 8, 16, 30, 30].map { .seconds($0) })
        let ends = detector.answered(host: "a", at: now)
        #expect(ends && detector.began == nil)
    }

    @Test func aProbeThatWasGivenUpIsFollowedByAnother() throws {
        var detector = OutageDetector()
        _ = fail(&detector, 20, hosts: 5, from: 0)
        let start = detector.nextProbe
        detector.probe(host: "a", at: start)
        detector.abandoned(host: "a", requestStarted: start, at: start + .seconds(1))
        #expect(detector.mayProbe(at: start + .seconds(2)))
    }

    @Test func oneRequestWithoutNameServersIsAnOutageWithShortPauses() {
        var detector = OutageDetector()
        let isAnswered = detector.answered(host: "known", at: .zero)
        let begins = detector.lostNames(host: "a", requestStarted: .zero, at: .zero)
        #expect(!isAnswered && begins && detector.began == .zero)
        var now = Duration.zero
        var pauses: [Duration] = []
        for _ in 0..<5 {
            let next = detector.nextProbe
            pauses.append(next - now)
            detector.probe(host: "a", at: next)
            let beginsAgain = detector.lostNames(host: "a", requestStarted: next, at: next)
            #expect(!beginsAgain)
            now = next
        }
        #expect(pauses == [1, 1, 2, 4, 5].map { .seconds($0) })
        let ends = detector.answered(host: "known", at: now)
        #expect(ends && detector.began == nil)
    }
}
