import Foundation
import JobFixtures
import JobPlanning
import JobStorage
import Originals
import Testing

@testable import NukeBatch

@Suite struct ItemRecorderTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "retry": {"attempts": 2, "backoff": "20s..20s"}}
        """#

    private let job: RunningJob
    private let context: RunContext
    private let spent = SpentAttempts()
    private let recorder: ItemRecorder
    private let started = AttemptStart()

    init() throws {
        job = try RunningJob(Self.text)
        context = job.context()
        recorder = ItemRecorder(context, HostRateLimiter(limits: .init()), spent: spent)
    }

    private func claim() async throws -> ClaimedItem {
        try #require(try await job.claim(hosts: ["a.example"]).first)
    }

    @Test(
        "an error that is final is recorded with its attempt",
        arguments: [
            (ItemError.Handling.permanent, ItemState.failed), (.nextRun, .failed), (.suspect, .failed),
            (.retry(atMost: 1), .failed), (.quarantine, .quarantined),
        ]
    )
    func final(handling: ItemError.Handling, state: ItemState) async throws {
        let item = try await claim()
        let error = itemError("http_404", "not there", handling: handling, status: 404)
        await recorder.record(error, of: item, started: started)
        let record = try job.record(of: item)
        #expect(record.state == state)
        #expect(record.error == "http_404")
        #expect(record.message == "not there")
        #expect(record.attempts == 1)
        #expect(context.control.exit == nil)
        #expect(context.statistics.progress.failed == 1)
        #expect(context.statistics.progress.failures == ["http_404": 1])
        #expect(spent.take().isEmpty)
    }

    @Test("an interrupted item goes back and has spent nothing")
    func interrupted() async throws {
        let item = try await claim()
        await recorder.record(.interrupted, of: item, started: started)
        let record = try job.record(of: item)
        #expect(record.state == .pending)
        #expect(record.attempts == 0)
        #expect(record.message == "the run was stopped")
        #expect(context.control.exit == nil)
        #expect(context.statistics.progress.finishedNow == 0)
    }

    @Test("trouble of the machine stops the run, and the item goes back")
    func local() async throws {
        let item = try await claim()
        let error = itemError("local", "the disk is full", handling: .local)
        await recorder.record(error, of: item, started: started)
        #expect(try job.record(of: item).state == .pending)
        #expect(try job.record(of: item).attempts == 0)
        #expect(context.control.exit == .machine)
        #expect(context.control.trouble == "the disk is full")
    }

    @Test("a pause that the host asks for spends no attempt")
    func held() async throws {
        let item = try await claim()
        let error = itemError("http_429", handling: .hostHeld(milliseconds: 500_000), status: 429)
        await recorder.record(error, of: item, started: started)
        let record = try job.record(of: item)
        #expect(record.state == .retry)
        #expect(record.attempts == 0)
        #expect(record.error == "http_429")
        #expect(record.notBefore >= started.time + 499_900)
        #expect(context.statistics.progress.finishedNow == 0)
    }

    @Test("an item fails that its host refuses after each of its pauses", arguments: [nil, 2])
    func refused(most: Int?) async throws {
        var item = try await claim()
        let error = itemError("http_429", handling: .hostHeld(milliseconds: 0, atMost: most), status: 429)
        for _ in 0..<2 {
            await recorder.record(error, of: item, started: started)
            let record = try job.record(of: item)
            #expect(record.state == .retry && record.attempts == 0)
            item = try #require(try await job.store.claim(limit: 1, now: record.notBefore).first)
        }
        await recorder.record(error, of: item, started: started)
        let record = try job.record(of: item)
        #expect(record.state == (most == nil ? .retry : .failed) && record.error == "http_429")
        #expect(record.message?.hasSuffix("also after 2 pauses that the host asked for") == (most != nil))
    }

    @Test("a retry spends an attempt, until none is left", arguments: ["timeout", "http_500"])
    func retry(code: String) async throws {
        let item = try await claim()
        let error = itemError(code, handling: .retry(atMost: nil))
        await recorder.record(error, of: item, started: started)
        var record = try job.record(of: item)
        #expect(record.state == .retry)
        #expect(record.attempts == 1)
        // The state has a clock of its own, which may differ a little.
        let start = started.time - 100
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        #expect((start...now + 20_100).contains(record.notBefore))
        // Only a host that did not answer may have been cut off.
        #expect(spent.take().map(\.itemID) == (code == "timeout" ? [item.itemID] : []))
        let again = try #require(try await job.store.claim(limit: 1, now: record.notBefore).first)
        #expect(again.attempts == 2)
        await recorder.record(error, of: again, started: started)
        record = try job.record(of: item)
        #expect(record.state == .failed)
        #expect(record.error == code)
        #expect(record.attempts == 2)
        #expect(spent.take().isEmpty)
    }

    @Test("outcomes are recorded with their original and outputs")
    func outcomes() async throws {
        let items = try await job.claim(hosts: ["a.example", "b.example", "c.example"])
        await recorder.record(outcome(items[0], [output("small")]), started: started)
        let done = try job.record(of: items[0])
        #expect(done.state == .done)
        #expect(done.cacheKey == "key")
        #expect(done.originalSHA256 == original().sha256)
        let failed = [output("small"), output("web", .failed, failure: ("corrupt", "cut"))]
        await recorder.record(outcome(items[1], failed), started: started)
        #expect(try job.record(of: items[1]).state == .failed)
        #expect(try job.record(of: items[1]).error == "corrupt")
        let skipped = [output("small", .skipped, reason: "exists")]
        await recorder.record(outcome(items[2], skipped), started: started)
        #expect(try job.record(of: items[2]).state == .skipped)
        #expect(try job.record(of: items[2]).message == "exists")
        #expect(context.statistics.progress.finishedNow == 3)
    }

    @Test("a state that cannot be written stops the run, and nothing is counted")
    func refused() async throws {
        let item = try await claim()
        await recorder.record(outcome(item, [output("small")]), started: started)
        #expect(context.control.exit == nil)
        await recorder.record(outcome(item, [output("small")]), started: started)
        #expect(context.control.exit == .machine)
        #expect(context.control.trouble != nil)
        #expect(context.statistics.progress.finishedNow == 1)
    }
}
