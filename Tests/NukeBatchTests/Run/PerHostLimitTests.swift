import JobFixtures
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct PerHostLimitTests {
    private let job: RunningJob

    init() throws {
        job = try RunningJob()
    }

    @Test("half of the slots stay free for hosts that have none")
    func share() async throws {
        let items = try await job.claim(hosts: (0..<12).map { "h\($0).example" })
        let limit = PerHostLimit(perHost: 100, total: 12)
        #expect(limit.share == 6)
        var shares: [Int] = []
        for item in items {
            limit.add(item)
            shares.append(limit.share)
        }
        // 12 / 2n, and never less than 1.
        #expect(shares == [6, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1])
        #expect(limit.inFlight == 12)
    }

    @Test("no host has more than its limit")
    func perHost() async throws {
        let items = try await job.claim(hosts: ["a.example", "b.example"])
        let limit = PerHostLimit(perHost: 4, total: 512)
        #expect(limit.share == 4)
        for item in items { limit.add(item) }
        #expect(limit.share == 4)
        #expect(PerHostLimit(perHost: 4, total: 0).share == 1)
    }

    @Test("hosts with items may have the rest of their share")
    func left() async throws {
        let items = try await job.claim(hosts: ["a.example", "a.example", "a.example", "b.example"])
        let (first, second) = (items[0].hostID, items[3].hostID)
        try #require(first != second)
        let limit = PerHostLimit(perHost: 100, total: 8)
        #expect(limit.left.isEmpty)
        limit.add(items[0])
        #expect(limit.left == [first: 3])
        for item in items[1...] { limit.add(item) }
        // Three of two: it has no more, and no less than none.
        #expect(limit.share == 2)
        #expect(limit.left == [first: 0, second: 1])
    }

    @Test("an item leaves its host once, and is in flight until it is removed")
    func leaving() async throws {
        let items = try await job.claim(hosts: ["a.example", "a.example"])
        let host = items[0].hostID
        let limit = PerHostLimit(perHost: 5, total: 512)
        for item in items { limit.add(item) }
        limit.leaveHost(items[0])
        limit.leaveHost(items[0])
        #expect(limit.left == [host: 4])
        #expect(limit.inFlight == 2)
        limit.remove(items[0])
        #expect(limit.left == [host: 4])
        #expect(limit.inFlight == 1)
        limit.remove(items[1])
        #expect(limit.left.isEmpty)
        #expect(limit.inFlight == 0)
    }

    @Test("an item that ends at its host makes room there")
    func removal() async throws {
        let items = try await job.claim(hosts: ["a.example", "b.example"])
        let limit = PerHostLimit(perHost: 100, total: 8)
        for item in items { limit.add(item) }
        #expect(limit.share == 2)
        limit.remove(items[1])
        #expect(limit.left == [items[0].hostID: 3])
        #expect(limit.share == 4)
    }
}
