import Testing

@testable import Transport

@Suite struct HostCacheTests {
    private func entry(_ text: String) -> HostCache.Entry {
        HostCache.Entry(content: .broken(text), expires: .now, lastUse: .now)
    }

    @Test("the last hosts are kept, however many there were before")
    func bound() {
        var cache = HostCache(generation: 3)
        for number in 0..<100 {
            cache.store(entry("\(number)"), of: "\(number)")
            let first = max(0, number - 2)
            #expect((first...number).allSatisfy { cache.entry(of: "\($0)")?.content == .broken("\($0)") })
        }
        #expect((0..<100).count { cache.entry(of: "\($0)") != nil } <= 6)
    }

    @Test("a host that is used stays")
    func use() {
        var cache = HostCache(generation: 3)
        cache.store(entry("used"), of: "used")
        for number in 0..<100 {
            cache.store(entry("\(number)"), of: "\(number)")
            #expect(cache.entry(of: "used")?.content == .broken("used"))
        }
        #expect(cache.entry(of: "0") == nil)
    }

    @Test("a later entry replaces the earlier one")
    func replacement() {
        var cache = HostCache(generation: 1)
        cache.store(entry("1"), of: "a")
        cache.store(entry("2"), of: "a")
        #expect(cache.entry(of: "a")?.content == .broken("2"))
    }
}
