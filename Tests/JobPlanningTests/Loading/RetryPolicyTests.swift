import JobFixtures
import JobManifest
import Synchronization
import Testing

@testable import JobPlanning

@Suite struct RetryPolicyTests {
    private func policy(attempts: Int, backoff: ClosedRange<Duration>) throws -> RetryPolicy {
        var settings = try ManifestFolder().read(RunningJob.text).retry
        settings.attempts = attempts
        settings.backoff = backoff
        return RetryPolicy(settings)
    }

    @Test("takes over the settings, in seconds")
    func settings() throws {
        let policy = try policy(attempts: 7, backoff: .milliseconds(1500) ... .seconds(90))
        #expect(policy.attempts == 7)
        #expect(policy.backoff == 1.5...90)
    }

    @Test("the last attempt has no delay", arguments: [1, 2, 4, 100])
    func attempts(count: Int) throws {
        let policy = try policy(attempts: count, backoff: .seconds(1) ... .seconds(60))
        for attempt in 1..<count { #expect(policy.delay(afterAttempt: attempt) != nil) }
        #expect(policy.delay(afterAttempt: count) == nil)
        #expect(policy.delay(afterAttempt: count + 1) == nil)
    }

    /// 2000 draws that are even on 0...longest miss its upper tenth with a probability of 0.9^2000 < 1e-91.
    @Test(
        "the delay is anywhere up to the backoff, which doubles up to its limit",
        arguments: [(1, 1000), (2, 2000), (3, 4000), (4, 8000), (5, 10_000), (6, 10_000), (99, 10_000)]
    )
    func backoff(attempt: Int, longest: Int64) throws {
        let policy = try policy(attempts: 100, backoff: .seconds(1) ... .seconds(10))
        let delays = (0..<2000).compactMap { _ in policy.delay(afterAttempt: attempt) }
        #expect(delays.count == 2000)
        let (least, most) = (try #require(delays.min()), try #require(delays.max()))
        #expect(least >= 0)
        #expect(least < longest / 10)
        #expect(most <= longest)
        #expect(most > longest * 9 / 10)
    }

    @Test("what a run cannot begin without has failed if its host asks for a pause each time")
    func pauses() async throws {
        let policy = try policy(attempts: 1, backoff: .zero ... .zero)
        let loads = Mutex(0)
        let error = await #expect(throws: ItemError.self) {
            try await policy.insist(RunControl()) { () async throws(ItemError) in
                loads.withLock { $0 += 1 }
                throw ItemError(.http(429), "busy", handling: .hostHeld(milliseconds: 0, atMost: 2))
            }
        }
        #expect(error?.code == .http(429) && loads.withLock { $0 } == 3)
    }

    @Test("a backoff of no time is no delay")
    func none() throws {
        let policy = try policy(attempts: 3, backoff: .zero ... .zero)
        #expect(policy.delay(afterAttempt: 1) == 0)
        #expect(policy.delay(afterAttempt: 2) == 0)
    }
}
