import JobFixtures
import JobStorage
import Testing

@testable import NukeBatch

@Suite struct SpentAttemptsTests {
    @Test("are taken once, in their order")
    func take() async throws {
        let items = try await RunningJob().claim(hosts: ["a.example", "b.example", "c.example"])
        let spent = SpentAttempts()
        #expect(spent.take().isEmpty)
        for item in items { spent.add(item) }
        #expect(spent.take().map(\.itemID) == items.map(\.itemID))
        #expect(spent.take().isEmpty)
        spent.add(items[1])
        #expect(spent.take().map(\.itemID) == [items[1].itemID])
    }

    @Test("an item that failed twice is there twice")
    func twice() async throws {
        let item = try #require(try await RunningJob().claim(hosts: ["a.example"]).first)
        let spent = SpentAttempts()
        spent.add(item)
        spent.add(item)
        #expect(spent.take().count == 2)
    }
}
