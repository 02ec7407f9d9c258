import Foundation
import JobStorage
import Nuke

/// Takes a claimed item through its life and writes down what became of it; nothing is acknowledged before its commit.
struct ItemRecorder: Sendable {
    let store: JobStore
    let policy: RetryPolicy
    let tally: RunTally
    let control: RunControl
    let requests: RequestLog
    let gate: HostGate
    let spent: SpentAttempts

    /// Lets `item` live and records the end, the retry or the return of it.
    func live(_ item: ClaimedItem, in pipeline: ItemPipeline) async {
        let started = Date()
        defer { pipeline.destination?.release(item) }
        do throws(ItemError) {
            let outcome = try await pipeline.run(item)
            await record(outcome, started: started)
        } catch {
            await record(error, of: item, started: started)
        }
    }

    private func record(_ outcome: ItemOutcome, started: Date) async {
        let result = outcome.result(attempt: attempt(started, outcome.isDone ? "done" : "failed", outcome))
        await write { () throws(JobStoreError) in
            try await store.record(result, of: outcome.item)
            tally.add(outcome)
        }
    }

    private func record(_ error: ItemError, of item: ClaimedItem, started: Date) async {
        await write { () throws(JobStoreError) in
            switch decision(error, item) {
            case .putBack:
                try await store.putBack(item, reason: error.message)
            case .end(let outcome, let word):
                let result = ItemResult(outcome, attempt: attempt(started, word, error))
                try await store.record(result, of: item)
                tally.addFailure(item, error)
            case .retry(let delay, let spendsAttempt):
                try await store.retryLater(
                    item,
                    notBefore: Int64(Date().timeIntervalSince1970 * 1000) + delay,
                    error: error.code,
                    message: error.message,
                    spendsAttempt: spendsAttempt,
                    attempt: attempt(started, "retry", error)
                )
                if spendsAttempt, error.isUnreachable { spent.add(item) }
            }
        }
    }

    private enum Decision {
        case putBack
        case end(ItemResult.Outcome, word: String)
        case retry(milliseconds: Int64, spendsAttempt: Bool)
    }

    private func decision(_ error: ItemError, _ item: ClaimedItem) -> Decision {
        let failure = Decision.end(.failed(error: error.code, message: error.message), word: "failed")
        switch error.handling {
        case .permanent, .nextRun, .suspect:
            return failure
        case .quarantine:
            return .end(.quarantined(error: error.code, message: error.message), word: "quarantined")
        case .interrupted:
            return .putBack
        case .local:
            control.stop(.machine, trouble: error.message)
            return .putBack
        case .hostHeld(let milliseconds):
            // The gate holds the host; the item comes back when it opens.
            return .retry(milliseconds: milliseconds, spendsAttempt: false)
        case .retry where error.isUnreachable && gate.outage != nil:
            return .retry(milliseconds: 0, spendsAttempt: false)
        case .retry(let most):
            guard item.attempts < most ?? .max, let delay = policy.delay(afterAttempt: item.attempts) else {
                // An item must not fail just before it turns out that the network is gone.
                let isSuspect = error.isUnreachable && gate.isOutageSuspected
                return isSuspect ? .retry(milliseconds: 1000, spendsAttempt: false) : failure
            }
            return .retry(milliseconds: delay, spendsAttempt: true)
        }
    }

    /// A state that cannot be written ends the run: going on would do work that nobody remembers.
    private func write(_ body: () async throws(JobStoreError) -> Void) async {
        do throws(JobStoreError) {
            try await body()
            try await requests.write(to: store)
        } catch {
            control.stop(.machine, trouble: error.description)
        }
    }

    private func attempt(_ started: Date, _ outcome: String, _ error: ItemError) -> AttemptResult {
        var attempt = Self.attempt(started, outcome)
        attempt.error = error.code
        attempt.http = error.status
        attempt.detail = error.message
        return attempt
    }

    private func attempt(_ started: Date, _ word: String, _ outcome: ItemOutcome) -> AttemptResult {
        var attempt = Self.attempt(started, word)
        attempt.http = outcome.original.status
        attempt.bytes = outcome.original.data.count
        return attempt
    }

    private static func attempt(_ started: Date, _ outcome: String) -> AttemptResult {
        AttemptResult(
            started: Int64(started.timeIntervalSince1970 * 1000),
            milliseconds: Int(-started.timeIntervalSinceNow * 1000),
            outcome: outcome
        )
    }
}
