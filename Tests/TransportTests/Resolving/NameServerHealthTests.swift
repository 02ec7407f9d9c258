import Testing

@testable import Transport

@Suite struct NameServerHealthTests {
    @Test("five hosts that fail are an outage, one host that fails five times is none")
    func fiveHosts() {
        var health = NameServerHealth()
        for _ in 0..<5 { health.failed(["a"]) }
        #expect(!health.isOut)
        health.failed(["b", "c", "d"])
        #expect(!health.isOut)
        health.failed(["e"])
        #expect(health.isOut)
    }

    @Test("an answer between failures speaks against an outage, and ends one")
    func answers() {
        var health = NameServerHealth()
        health.failed(["a", "b", "c", "d"])
        health.answered()
        health.failed(["e"])
        #expect(!health.isOut)
        health.failed(["f", "g", "h", "i"])
        #expect(health.isOut)
        health.answered()
        #expect(!health.isOut)
    }
}
