import Testing

@testable import Transport

@Suite struct NameServerHealthTests {
    @Test("five hosts that fail make an outage likely, twenty are one, and one host that fails often is none")
    func hosts() {
        var health = NameServerHealth()
        for _ in 0..<30 { health.failed(["a"]) }
        #expect(!health.isSuspected && !health.isOut)
        health.failed(["b", "c", "d"])
        #expect(!health.isSuspected)
        health.failed(["e"])
        #expect(health.isSuspected && !health.isOut)
        health.failed((0..<14).map { "\($0)" })
        #expect(!health.isOut)
        health.failed(["z"])
        #expect(!health.isSuspected && health.isOut)
    }

    @Test("an answer between failures speaks against an outage, and ends one")
    func answers() {
        var health = NameServerHealth()
        health.failed(["a", "b", "c", "d"])
        health.answered()
        health.failed(["e"])
        #expect(!health.isSuspected)
        health.failed(["f", "g", "h", "i"])
        #expect(health.isSuspected)
        health.confirm()
        #expect(health.isOut)
        health.answered()
        #expect(!health.isOut)
        health.failed(["a"])
        #expect(!health.isSuspected)
    }
}
