import JobFixtures
import JobPlanning
import JobStorage
import TestSupport
import Testing

@testable import NukeBatch

@Suite struct RunStatisticsTests {
    private let job: RunningJob
    private let events = Recorded<RunEvent>()
    private let statistics: RunStatistics

    init() throws {
        job = try RunningJob()
        statistics = RunStatistics { [events] in events.add($0) }
    }

    private func items(_ count: Int) async throws -> [ClaimedItem] {
        try await job.claim(hosts: Array(repeating: "a.example", count: count))
    }

    private var listings: [ItemListing] {
        events.all.compactMap { if case .itemFinished(let listing) = $0 { listing } else { nil } }
    }

    private func report(_ control: RunControl = RunControl()) throws -> RunReport {
        statistics.finish(counts: try job.reader.counts(), control: control, warnings: ["first"])
    }

    @Test("begins with what earlier runs have done")
    func begin() async throws {
        let items = try await items(3)
        try await job.store.record(outcome(items[0], [output("small")]).result(attempt: nil), of: items[0])
        try await job.store.record(ItemResult(.failed(error: "dns", message: "m")), of: items[1])
        statistics.begin(stage: "planning")
        #expect(statistics.progress.stage == "planning")
        statistics.begin(job: "a", counts: try job.reader.counts())
        let progress = statistics.progress
        #expect(progress.stage == nil)
        #expect([progress.total, progress.done, progress.failed, progress.finishedNow] == [3, 1, 1, 0])
        guard case .runStarted(let name, let count) = events.all.first else {
            Issue.record("the start was not told")
            return
        }
        #expect(name == "a" && count == 3)
    }

    @Test("outputs count by what became of them")
    func outputs() async throws {
        let items = try await items(3)
        let outputs = [output("a"), output("b"), output("c", .skipped, reason: "exists")]
        let reused = [output("d"), output("e", .skipped, reason: "exists")]
        statistics.add(outcome(items[0], outputs, reused: reused))
        statistics.add(outcome(items[1], [output("a", .skipped, reason: "exists")]))
        statistics.add(outcome(items[2], [output("a", .failed, failure: ("corrupt", "cut"))]))
        let report = try report()
        #expect(report.made == 2)
        #expect(report.reused == 1)
        #expect(report.skipped == 1)
        #expect(report.finishedNow == 3)
        #expect(report.failures == ["corrupt": 1])
        #expect(statistics.progress.done == 2)
        #expect(statistics.progress.failed == 1)
        #expect(listings.map(\.state) == ["done", "skipped", "failed"])
        #expect(listings.map(\.error) == [nil, nil, "corrupt"])
        #expect(listings.map(\.message) == [nil, "exists", "output a: cut"])
    }

    @Test("bytes count once, by where they came from; without outputs originals are what is made")
    func sources() async throws {
        let items = try await items(4)
        statistics.add(outcome(items[0], [], of: original(source: .network)))
        statistics.add(outcome(items[1], [], of: original(source: .network, isShared: true)))
        statistics.add(outcome(items[2], [], of: original(source: .cache)))
        statistics.add(outcome(items[3], [], of: original(source: .file)))
        let report = try report()
        #expect(report.networkBytes == 8)
        #expect(report.cacheBytes == 16)
        #expect(report.made == 2)
        #expect(report.reused == 2)
        #expect(statistics.progress.networkBytes == 8)
    }

    @Test("answers to questions about cached originals are counted")
    func revalidation() async throws {
        let items = try await items(4)
        let results: [Revalidation.Result] = [.confirmed, .reloaded, .stale("timeout"), .stale("timeout")]
        for (item, result) in zip(items, results) {
            statistics.add(outcome(item, [], of: original(source: .cache, revalidation: result)))
        }
        let report = try report()
        #expect(report.confirmed == 1)
        #expect(report.changed == 1)
        #expect(report.stale == ["timeout": 2])
    }

    @Test("failures before an output are told with their state")
    func failures() async throws {
        let items = try await items(2)
        statistics.addFailure(items[0], itemError("dns"))
        statistics.addFailure(items[1], itemError("crashed", handling: .quarantine))
        #expect(listings.map(\.state) == ["failed", "quarantined"])
        #expect(listings.map(\.error) == ["dns", "crashed"])
        #expect(try report().failures == ["dns": 1, "crashed": 1])
        #expect(statistics.progress.failed == 2)
        #expect(statistics.progress.finishedNow == 2)
    }

    @Test("the exit code tells what is left and what stopped the run")
    func exit() async throws {
        let items = try await items(2)
        let limited = RunControl()
        limited.stopClaiming(.workLeft)
        #expect(try report(limited).exit == .workLeft)
        #expect(try report(limited).left == 2)
        for item in items {
            try await job.store.record(outcome(item, [output("small")]).result(attempt: nil), of: item)
        }
        // A limit that was reached with the last item left nothing undone.
        #expect(try report(limited).exit == .done)
        #expect(try report().exit == .done)
        let stopped = RunControl()
        stopped.stop(.interrupted, trouble: "t")
        #expect(try report(stopped).exit == .interrupted)
        #expect(try report(stopped).trouble == "t")
        statistics.warn("second")
        #expect(try report().warnings == ["first", "second"])
        #expect(try report().done == 2)
        #expect(try report().items == 2)
    }

    @Test("items that failed are an exit code of their own")
    func someFailed() async throws {
        let item = try #require(try await items(1).first)
        try await job.store.record(ItemResult(.failed(error: "dns", message: "m")), of: item)
        #expect(try report().exit == .someFailed)
        #expect(try report().failed == 1)
        let limited = RunControl()
        limited.stopClaiming(.workLeft)
        #expect(try report(limited).exit == .someFailed)
    }
}
