import JobStorage
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct StatisticsTests {
    /// Items of two hosts: even ones are done, with an original of 1000 bytes times their number; odd ones failed.
    private func finishedJob(_ count: Int = 8) async throws -> (TestJob, JobStore) {
        let job = try TestJob()
        let store = try job.open()
        try store.plan((1...count).map { row($0, host: $0 % 3 == 0 ? "b.example" : "a.example") })
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 1000, perHost: 1000) {
            let attempt = AttemptResult(
                started: 1,
                milliseconds: 2,
                outcome: item.ordinal % 2 == 0 ? "done" : "failed"
            ) { $0.bytes = item.ordinal % 2 == 0 ? item.ordinal * 1000 : nil }
            var result = done(item)
            if item.ordinal % 2 == 1 {
                result = ItemResult(.failed(error: item.ordinal == 5 ? "timeout" : "http_404", message: "no"))
            }
            result.attempt = attempt
            try await store.record(result, of: item)
        }
        return (job, store)
    }

    private func request(_ number: Int, wait: Int, status: Int? = 200) -> RequestRecord {
        RequestRecord(
            load: Int64(number),
            started: Int64(number),
            url: "https://a.example/\(number).jpg",
            status: status,
            phases: .init(blocked: 1_000_000, dns: 1, connect: nil, tls: nil, wait: wait, receive: 5)
        )
    }

    @Test("failures are counted by host and error, most first")
    func failures() async throws {
        let (_, store) = try await finishedJob()
        let found = try store.reader.failuresByHost(limit: 10)
        #expect(
            found.map { "\($0.host) \($0.error) \($0.count)" } == [
                "a.example http_404 2", "a.example timeout 1", "b.example http_404 1",
            ]
        )
        #expect(try store.reader.failuresByHost(limit: 1).count == 1)
        try store.plan([row(1), row(2)])
        #expect(try store.reader.failuresByHost(limit: 10).map(\.count) == [1], "only listed items count")
    }

    @Test("outputs are summed by name and state")
    func totals() async throws {
        let store = try TestJob().open()
        let large = OutputRecipe(source: 0, output: "large", recipe: "width 1024")
        try store.plan((1...3).map { row($0) }, recipes: [small, large])
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 3) {
            var result = done(item, [small, large])
            result.outputs[0].format = item.ordinal == 2 ? "webp" : "avif"
            switch item.ordinal {
            case 1: (result.outputs[1].state, result.outputs[1].format) = (.skipped, "jpeg")
            case 2: result.outputs[1].state = .failed
            default: break
            }
            try await store.record(result, of: item)
        }
        let totals = try store.reader.outputTotals()
        #expect(totals.map(\.name) == ["large", "small"])
        #expect(totals.map(\.made) == [1, 3] && totals.map(\.bytes) == [4000, 12_000])
        #expect(totals.map(\.skipped) == [1, 0] && totals.map(\.failed) == [1, 0])
        #expect(totals.map(\.formats) == [[:], ["avif": 2, "webp": 1]])
        #expect(try [store.reader].outputTotals() == totals)
        try store.plan((1...3).map { row($0) }, recipes: [small])
        #expect(try store.reader.outputTotals().map(\.name) == ["small"])
    }

    @Test("outputs are compared with their originals, each of which counts once, however often it was loaded")
    func sizes() async throws {
        let store = try TestJob().open()
        let large = OutputRecipe(source: 0, output: "large", recipe: "width 1024")
        try store.plan((1...3).map { row($0) }, recipes: [small, large])
        _ = try store.beginRun(version: "1")
        for item in try await store.claim(limit: 3) {
            var result = done(item, [small, large])
            result.attempt?.bytes = 1000 * item.ordinal
            if item.ordinal == 3 {
                result.outcome = .failed(error: "corrupt", message: "told")
                result.outputs = []
            }
            try await store.record(result, of: item)
        }
        var sizes = try store.reader.sizeComparison()
        #expect(sizes.items == 2 && sizes.before == 3000 && sizes.after == 16_000, "3 has no outputs")
        try store.requeueFinished()
        try await store.finishAll([small, large])
        sizes = try store.reader.sizeComparison()
        // As loaded last: 3 bytes each, and the one that failed is done.
        #expect(sizes.items == 3 && sizes.before == 9 && sizes.after == 24_000)
        try store.plan([row(1)], recipes: [small])
        #expect(try store.reader.sizeComparison().after == 4000, "what is not asked for does not count")
    }

    @Test("sizes and durations are distributed over what was measured")
    func distributions() async throws {
        let (_, store) = try await finishedJob()
        let originals = try [store.reader].distribution(of: .originalSize)
        #expect(originals.count == 4 && originals.sum == 20_000 && originals.maximum == 8000)
        #expect(originals.median == 5000 && originals.percentile95 == 8000, "of 2000, 4000, 6000 and 8000")
        // Another encoding uses the original once more: the items are no more than they were.
        try store.requeueFinished()
        for item in try await store.claim(limit: 1000, perHost: 1000) {
            var result = done(item)
            result.attempt = AttemptResult(started: 3, milliseconds: 2, outcome: "done") {
                $0.bytes = item.ordinal * 1000 + (item.ordinal == 2 ? 500 : 0)
            }
            try await store.record(result, of: item)
        }
        let again = try [store.reader].distribution(of: .originalSize)
        #expect(again.count == 4 && again.sum == 20_500 && again.median == 5000)
        let outputs = try [store.reader].distribution(of: .outputSize)
        #expect(outputs.count == 4 && outputs.sum == 16_000)
        try await store.record([request(1, wait: 10), request(2, wait: 90), request(3, wait: 7, status: nil)])
        let requests = try [store.reader].distribution(of: .requestTime)
        #expect(requests.count == 2, "a request without a response has no duration")
        #expect(requests.sum == 16 + 96 && requests.maximum == 96, "the wait for its turn does not count")
    }

    @Test("quantiles are those of the values, not bounds of steps")
    func quantiles() async throws {
        let store = try TestJob().open()
        _ = try store.beginRun(version: "1.0.0")
        let waits = (1...41).map { $0 * $0 * 37 }
        try await store.record(waits.enumerated().map { request($0 + 1, wait: $1) }.shuffled())
        let times = try [store.reader].distribution(of: .requestTime)
        #expect(times.median == waits[20] + 6 && times.percentile95 == waits[38] + 6)
        #expect(try [store.reader].distribution(of: .originalSize).median == 0)
    }

    @Test("failed items come in the manifest's order")
    func failedItems() async throws {
        let (_, store) = try await finishedJob()
        #expect(try store.reader.failedItems(limit: 3).map(\.ordinal) == [1, 3, 5])
        #expect(try store.reader.failedItems(limit: 9).map(\.error).last == "http_404")
    }

    @Test("the largest originals come first")
    func extremes() async throws {
        let (_, store) = try await finishedJob()
        let largest = try store.reader.largestItems(limit: 3)
        #expect(largest.map(\.item.ordinal) == [8, 6, 4] && largest.map(\.bytes) == [8000, 6000, 4000])
        #expect(largest.first?.item.outputs.map(\.path) == ["small/8.jpg"])
        try store.plan([row(4), row(2)])
        #expect(try store.reader.largestItems(limit: 1).map(\.item.ordinal) == [4], "only listed items count")
    }

    @Test("a sample is spread over the manifest and holds done items alone, each once")
    func sample() async throws {
        let (_, store) = try await finishedJob(40)
        let sample = try store.reader.sample(count: 4).map(\.ordinal)
        #expect(sample == [2, 12, 22, 32])
        let all = try store.reader.sample(count: 40).map(\.ordinal)
        #expect(Set(all).count == all.count && all.allSatisfy { $0 % 2 == 0 } && all == all.sorted())
        #expect(try store.reader.sample(count: 0).isEmpty)
        let empty = try TestJob().open()
        #expect(try empty.reader.sample(count: 3).isEmpty)
    }

    @Test("the mean size is that of originals that were loaded")
    func mean() async throws {
        let (_, store) = try await finishedJob()
        #expect(try store.reader.meanBytes() == 5000)
        let empty = try TestJob().open()
        #expect(try empty.reader.meanBytes() == nil)
    }
}
