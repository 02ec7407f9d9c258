import Originals
import Testing
import Transport

@Suite struct EdgeAnswerTests {
    private func isHit(_ headers: [(String, String)]) -> Bool? {
        EdgeAnswer(headers.map { TransferRequest.Header($0.0, $0.1) }).map { $0 == .hit }
    }

    @Test(
        "Cloudflare's field says what its cache had",
        arguments: [
            ("HIT", true), ("stale", true), ("UPDATING", true), ("Revalidated", true), ("MISS", false),
            ("EXPIRED", false), ("BYPASS", false), ("DYNAMIC", false),
        ]
    )
    func cloudflare(value: String, expected: Bool) {
        #expect(isHit([("CF-Cache-Status", value)]) == expected)
        // It is asked before the others.
        #expect(isHit([("X-Cache", "HIT"), ("Age", "9"), ("cf-cache-status", value)]) == expected)
    }

    @Test(
        "of several caches the nearest counts",
        arguments: [
            ("HIT", true), ("Hit from cloudfront", true), ("TCP_MEM_HIT from a", true), ("MISS, HIT", true),
            ("HIT, MISS", false), ("Miss from cloudfront", false), ("HIT,MISS,HIT", true),
        ]
    )
    func xCache(value: String, expected: Bool) {
        #expect(isHit([("x-cache", value)]) == expected)
        #expect(isHit([("Age", expected ? "0" : "7"), ("X-Cache", value)]) == expected)
    }

    @Test("a positive age is an answer from a cache")
    func age() {
        #expect(isHit([("Age", "1")]) == true)
        #expect(isHit([("Age", "0")]) == false)
        #expect(isHit([("Age", "old")]) == nil)
        #expect(isHit([("Content-Type", "image/png")]) == nil)
        #expect(isHit([]) == nil)
        #expect(isHit([("Age", "5"), ("age", "0")]) == false)
    }
}
