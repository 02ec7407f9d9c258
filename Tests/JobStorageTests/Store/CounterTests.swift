import JobStorage
import SQLite
import Testing

/// The counters of a job, which grow over its runs.
@Suite(.timeLimit(.minutes(10))) struct CounterTests {
    private let done = Counter("item_results", detail: "done")
    private let requests = Counter("requests", hostClass: "a.example", detail: "200")

    private func one(_ counter: Counter, _ amount: Double = 1) -> CounterIncrements {
        var increments = CounterIncrements()
        increments.add(amount, to: counter)
        return increments
    }

    @Test("increments add up, and nothing takes away")
    func increments() {
        var increments = CounterIncrements()
        #expect(increments.isEmpty)
        increments.add(0, to: done)
        increments.add(-3, to: done)
        #expect(increments.isEmpty)
        increments.add(to: done)
        increments.add(one(done, 2.5))
        increments.add(one(requests))
        #expect(increments.amounts == [done: 3.5, requests: 1])
    }

    @Test("counters grow over runs and processes")
    func grow() async throws {
        let job = try TestJob()
        for run in 1...3 {
            let store = try job.open()
            _ = try store.beginRun(version: "1")
            try await store.count(one(requests, 2))
            try await store.count(one(done, 0.25))
            #expect(try store.reader.counters() == [requests: Double(2 * run), done: 0.25 * Double(run)])
            // The second one is killed: it has no end.
            if run != 2 { try store.endRun(exit: 0) }
            store.close()
        }
        let reader = try #require(try JobReader(path: job.path))
        #expect(try reader.countedHostClasses() == ["a.example"])
        #expect(try reader.endedRuns() == [0: 2, nil: 1])
        let last = try #require(try reader.runs().first?.ended)
        #expect(try reader.lastEnd(exit: 0) == last)
        #expect(try reader.lastEnd(exit: 1) == nil)
    }

    @Test("an outcome and its counts are recorded together, or neither")
    func together() async throws {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...3).map { row($0) })
        _ = try store.beginRun(version: "1")
        let items = try await store.claim(limit: 3)
        try await store.record(JobStorageTests.done(items[0]), of: items[0], counting: one(done))
        #expect(try store.reader.counters() == [done: 1])
        // The run no longer holds it.
        await #expect(throws: JobStoreError.self) {
            try await store.record(JobStorageTests.done(items[0]), of: items[0], counting: one(done))
        }
        #expect(try store.reader.counters() == [done: 1])
        let retry = Counter("item_retries", detail: "timeout")
        try await store.retryLater(
            items[1],
            after: 1,
            error: "timeout",
            message: "late",
            counting: one(retry)
        )
        try await store.putBack(items[2])
        #expect(try store.reader.counters() == [done: 1, retry: 1])
    }

    @Test("the hosts with the most items are the busiest")
    func busiest() throws {
        let job = try TestJob()
        let store = try job.open()
        // Host n has n items.
        var rows: [NewItem] = []
        for number in 1...30 {
            for _ in 0..<number { rows.append(row(rows.count + 1, host: "h\(number).example")) }
        }
        try store.plan(rows)
        let some = try store.reader.busiestHosts(limit: 3)
        #expect(some.names == ["h30.example", "h29.example", "h28.example"])
        #expect(!some.isAll)
        let all = try store.reader.busiestHosts(limit: 30)
        #expect(all.isAll)
        #expect(Set(all.names) == Set((1...30).map { "h\($0).example" }))
        #expect(try !store.reader.busiestHosts(limit: 29).isAll)
    }

    @Test("of a large job, a sample finds the busiest")
    func sampled() throws {
        let job = try TestJob()
        let store = try job.open()
        // Two thirds of 30,000 items are of one host; every other host has one.
        try store.plan((1...30_000).map { row($0, host: $0 % 3 == 0 ? "h\($0).example" : "big.example") })
        #expect(try store.reader.busiestHosts(limit: 20).names.first == "big.example")
    }

    @Test("hosts that were given up are down")
    func down() async throws {
        let job = try TestJob()
        let store = try job.open()
        _ = try store.beginRun(version: "1")
        try await store.save([
            HostRecord(name: "b.example") {
                $0.failStreak = 7
                $0.breaker = "down"
            },
            HostRecord(name: "a.example") {
                $0.failStreak = 5
                $0.breaker = "open"
            },
        ])
        #expect(try store.reader.hostsDown() == ["b.example"])
        try await store.save([HostRecord(name: "b.example")])
        #expect(try store.reader.hostsDown() == [])
    }
}
