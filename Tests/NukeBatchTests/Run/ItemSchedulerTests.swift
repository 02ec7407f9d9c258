import JobFixtures
import JobPlanning
import JobStorage
import TestSupport
import Testing
@testable import NukeBatch

@Suite(.timeLimit(.minutes(10))) struct ItemSchedulerTests {
    private let job: RunningJob

    init() throws {
        job = try RunningJob()
    }

    private func finish(_ item: ClaimedItem) async throws {
        try await job.store.record(outcome(item, [output("small")]).result(attempt: nil), of: item)
    }

    @Test("every item is executed once")
    func all() async throws {
        try job.plan(hosts: (0..<300).map { "h\($0 % 7).example" })
        let context = job.context()
        let scheduler = ItemScheduler(context)
        let executed = Recorded<Int>()
        await scheduler.run { item in
            executed.add(item.ordinal)
            do { try await finish(item) } catch { Issue.record(error) }
        }
        #expect(executed.all.sorted() == Array(1...300))
        #expect(scheduler.hosts.inFlight == 0)
        #expect(context.control.exit == nil)
        #expect(try job.reader.counts()[.done] == 300)
    }

    @Test("a limit of items leaves the others", arguments: [1, 5, 64, 65, 70])
    func limit(count: Int) async throws {
        try job.plan(hosts: Array(repeating: "a.example", count: 70))
        var options = RunOptions()
        options.limit = count
        let context = job.context(options)
        let executed = Recorded<Int>()
        await ItemScheduler(context).run { item in
            executed.add(item.ordinal)
            do { try await finish(item) } catch { Issue.record(error) }
        }
        #expect(executed.all.count == count)
        #expect(context.control.exit == .workLeft)
        #expect(try job.reader.counts().unfinished == 70 - count)
    }

    @Test("items of the highest priority go first, wherever they stand")
    func priority() async throws {
        let items = [2, 4, 0, 3, 2, 4].enumerated().map { index, priority in
            NewItem(ordinal: index + 1, url: "https://a.example/\(index).jpg", host: "a.example") {
                $0.priority = priority
            }
        }
        try job.plan(items)
        var options = RunOptions()
        options.limit = 3
        let executed = Recorded<Int>()
        await ItemScheduler(job.context(options)).run { item in
            executed.add(item.ordinal)
            do { try await finish(item) } catch { Issue.record(error) }
        }
        #expect(executed.all.sorted() == [2, 4, 6])
    }

    @Test("a run that is stopped claims nothing more")
    func stop() async throws {
        try job.plan(hosts: Array(repeating: "a.example", count: 300))
        let context = job.context()
        let executed = Recorded<Int>()
        await ItemScheduler(context).run { item in
            context.control.stop(.interrupted)
            executed.add(item.ordinal)
            do { try await finish(item) } catch { Issue.record(error) }
        }
        #expect(!executed.all.isEmpty)
        #expect(try job.reader.counts().unfinished == 300 - executed.all.count)
        let before = job.context()
        before.control.stopClaiming(.workLeft)
        await ItemScheduler(before).run { _ in Issue.record("an item was claimed") }
    }

    @Test("an item that is to be tried again is executed again in the same run")
    func retry() async throws {
        try job.plan(hosts: ["a.example"])
        let executed = Recorded<Int>()
        await ItemScheduler(job.context()).run { item in
            executed.add(item.attempts)
            do {
                guard item.attempts == 1 else { return try await finish(item) }
                try await job.store.retryLater(item, after: 0, error: "timeout", message: "m")
            } catch {
                Issue.record(error)
            }
        }
        #expect(executed.all == [1, 2])
    }
}

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
