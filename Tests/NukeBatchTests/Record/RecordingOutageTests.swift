import Foundation
import JobFixtures
import JobPlanning
import JobStorage
import Originals
import Testing

@testable import NukeBatch

/// The recorder while no host answers.
@Suite(.timeLimit(.minutes(10))) struct RecordingOutageTests {
    private static let text = #"""
        {"sources": [{"urls": ["https://a.example/1.jpg"]}], "retry": {"attempts": 2, "backoff": "20s..20s"}}
        """#

    private let job: RunningJob
    private let context: RunContext
    private let rateLimiter: HostRateLimiter
    private let spent = SpentAttempts()
    private let recorder: ItemRecorder
    private let started = AttemptStart()

    init() throws {
        job = try RunningJob(Self.text)
        context = job.context()
        var outage = OutageDetector.Policy()
        (outage.failures, outage.hosts, outage.window) = (3, 2, .seconds(86_400))
        rateLimiter = HostRateLimiter(limits: .init(), hosts: [:], idle: nil, breaking: nil, outage: outage)
        recorder = ItemRecorder(context, rateLimiter, spent: spent)
    }

    /// Fails so many requests: two are suspicious, three are an outage.
    private func fail(_ count: Int) async throws {
        for number in 0..<count {
            try await rateLimiter.acquire(host: "\(number).example").release(.unreachable)
        }
        try #require((rateLimiter.outage != nil) == (count >= 3))
        try #require(rateLimiter.isOutageSuspected == (count >= 2))
    }

    /// Claims the only item, which has as many attempts behind it as `attempts` says, the present one included.
    private func claim(attempts: Int) async throws -> ClaimedItem {
        var item = try #require(try await job.claim(hosts: ["a.example"]).first)
        for _ in 1..<attempts {
            try await job.store.retryLater(item, after: 0, error: "timeout", message: "m")
            item = try #require(try await job.store.claim(limit: 1).first)
        }
        try #require(item.attempts == attempts)
        return item
    }

    private func record(_ code: String, _ item: ClaimedItem) async throws -> ItemRecord {
        await recorder.record(itemError(code, handling: .retry(atMost: nil)), of: item, started: started)
        return try job.record(of: item)
    }

    // The state has a clock of its own, which may differ a little.
    private var start: Int64 { started.time - 100 }
    private var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    @Test("in an outage a host that does not answer spends no attempt, and its items may go at once")
    func outage() async throws {
        try await fail(3)
        let record = try await record("timeout", claim(attempts: 2))
        #expect(record.state == .retry && record.attempts == 1)
        #expect((start...now + 100).contains(record.notBefore))
        #expect(spent.take().isEmpty)
        #expect(context.statistics.progress.failed == 0)
    }

    @Test("in an outage other errors are what they are", arguments: [(1, ItemState.retry), (2, .failed)])
    func others(attempts: Int, state: ItemState) async throws {
        try await fail(3)
        let record = try await record("http_500", claim(attempts: attempts))
        #expect(record.state == state && record.attempts == attempts)
        #expect(spent.take().isEmpty)
    }

    @Test("the last attempt is given back while an outage is suspected")
    func suspected() async throws {
        try await fail(2)
        let item = try await claim(attempts: 2)
        let record = try await record("refused", item)
        #expect(record.state == .retry && record.attempts == 1)
        #expect((start + 1000...now + 1100).contains(record.notBefore))
        #expect(spent.take().isEmpty)
    }

    @Test("an attempt before the last one is spent while an outage is suspected, to be refunded later")
    func notYet() async throws {
        try await fail(2)
        let item = try await claim(attempts: 1)
        let record = try await record("dns", item)
        #expect(record.state == .retry && record.attempts == 1)
        #expect(spent.take().map(\.itemID) == [item.itemID])
    }

    @Test("a single host that does not answer fails its items")
    func oneHost() async throws {
        try await fail(1)
        let record = try await record("timeout", claim(attempts: 2))
        #expect(record.state == .failed && record.error == "timeout")
    }

    @Test("a last attempt with another error fails, suspected or not")
    func suspectedOthers() async throws {
        try await fail(2)
        #expect(try await record("http_500", claim(attempts: 2)).state == .failed)
    }
}
