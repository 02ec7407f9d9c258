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
            NewItem(
                ordinal: index + 1,
                url: "https://a.example/\(index).jpg",
                host: "a.example",
                priority: priority
            )
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
