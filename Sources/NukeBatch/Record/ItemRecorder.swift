import JobPlanning
import JobStorage
import Originals

/// Records the outcome of items: finished, to be retried, or put back.
///
/// An outcome is reported only after its commit.
struct ItemRecorder: Sendable {
    private let context: RunContext
    private let policy: RetryPolicy
    private let rateLimiter: HostRateLimiter
    private let spent: SpentAttempts
    private let pauses = ItemPauses()

    /// Creates the recorder of one run.
    init(_ context: RunContext, _ rateLimiter: HostRateLimiter, spent: SpentAttempts) {
        (self.context, policy) = (context, RetryPolicy(context.manifest.retry))
        (self.rateLimiter, self.spent) = (rateLimiter, spent)
    }

    /// Records an item whose original was loaded.
    func record(_ outcome: ItemOutcome, started: AttemptStart) async {
        pauses.forget(outcome.item)
        let result = outcome.result(
            attempt: attempt(started, outcome.isDone ? "done" : "failed", of: outcome)
        )
        let increments = CounterIncrements(outcome, recordedAs: result)
        await write { () throws(JobStoreError) in
            if outcome.original.isOtherVersion { try await context.store.forgetListing(of: outcome.item) }
            try await context.store.record(result, of: outcome.item, counting: increments)
            context.statistics.add(outcome)
        }
    }

    /// Notes an original that was loaded to be compared with others; the run still holds its item.
    func note(_ seen: SeenOriginal, of item: ClaimedItem) async {
        var increments = CounterIncrements()
        if let original = seen.original { increments.add(loaded: original) }
        await write { [increments] () throws(JobStoreError) in
            if seen.original?.isOtherVersion == true { try await context.store.forgetListing(of: item) }
            try await context.store.noteOriginal(
                of: item,
                sha256: seen.sha256,
                cacheKey: seen.original?.cacheKey,
                facts: seen.facts?.json,
                counting: increments
            )
            context.statistics.add(seen, of: item)
        }
    }

    /// Records an item that needed no original, with its outputs, none of which was made; `reused` were found.
    func record(
        _ outputs: [OutputRecord],
        reusing reused: [OutputRecord] = [],
        of item: ClaimedItem,
        started: AttemptStart
    ) async {
        let outcome = ItemResult.Outcome(outputs, reused: reused)
        let word = outcome.ending.error == nil ? outcome.state.rawValue : "failed"
        let result = ItemResult(outcome, outputs: outputs + reused, attempt: Self.attempt(started, word))
        let increments = CounterIncrements(outcome, outputs: outputs, reusing: reused)
        await write { () throws(JobStoreError) in
            try await context.store.record(result, of: item, counting: increments)
            context.statistics.add(item, outcome, outputs: outputs, reusing: reused)
        }
    }

    /// Records an item without outputs: it failed, is retried, or is put back.
    func record(_ error: ItemError, of item: ClaimedItem, started: AttemptStart) async {
        await write { () throws(JobStoreError) in
            switch decision(error, item) {
            case .putBack:
                try await context.store.putBack(item, reason: error.message)
            case .end(let outcome, let word):
                pauses.forget(item)
                let result = ItemResult(outcome, attempt: attempt(started, word, error: error))
                try await context.store.record(result, of: item, counting: CounterIncrements(outcome))
                context.statistics.addFailure(item, error)
            case .retry(let delay, let spendsAttempt):
                try await context.store.retryLater(
                    item,
                    after: delay,
                    error: error.code.rawValue,
                    message: error.message,
                    spendsAttempt: spendsAttempt,
                    attempt: attempt(started, "retry", error: error),
                    counting: CounterIncrements(retryBecauseOf: error.code.rawValue)
                )
                if spendsAttempt, error.code.isUnreachable { spent.add(item) }
            }
        }
    }

    private enum Decision {
        case putBack
        case end(ItemResult.Outcome, word: String)
        case retry(milliseconds: Int64, spendsAttempt: Bool)
    }

    private func decision(_ error: ItemError, _ item: ClaimedItem) -> Decision {
        let failure = Decision.end(
            .failed(error: error.code.rawValue, message: error.message),
            word: "failed"
        )
        switch error.handling {
        case .permanent, .nextRun, .suspect:
            return failure
        case .quarantine:
            return .end(.quarantined(error: error.code.rawValue, message: error.message), word: "quarantined")
        case .interrupted:
            return .putBack
        case .local:
            context.control.stop(.machine, trouble: error.message)
            return .putBack
        case .hostHeld(let milliseconds, let most):
            if let most, pauses.add(item) > most {
                let message = "\(error.message), also after \(most) pauses that the host asked for"
                return .end(.failed(error: error.code.rawValue, message: message), word: "failed")
            }
            // The host asked for less, and the rate limiter sees to it: the item is retried after the pause.
            return .retry(milliseconds: milliseconds, spendsAttempt: false)
        case .retry where error.code.isUnreachable && rateLimiter.outage != nil:
            return .retry(milliseconds: 0, spendsAttempt: false)
        case .retry(let most):
            guard item.attempts < most ?? .max, let delay = policy.delay(afterAttempt: item.attempts) else {
                // An item must not fail just before an outage of the network is detected.
                let isSuspect = error.code.isUnreachable && rateLimiter.isOutageSuspected
                return isSuspect ? .retry(milliseconds: 1000, spendsAttempt: false) : failure
            }
            return .retry(milliseconds: delay, spendsAttempt: true)
        }
    }

    /// Writes to the state; a failure ends the run, since further work could not be recorded.
    private func write(_ body: () async throws(JobStoreError) -> Void) async {
        do throws(JobStoreError) {
            try await body()
            try await context.requests.write(to: context.store)
        } catch {
            context.control.stop(.machine, trouble: error.description)
        }
    }

    private func attempt(_ started: AttemptStart, _ outcome: String, error: ItemError) -> AttemptResult {
        var attempt = Self.attempt(started, outcome)
        attempt.error = error.code.rawValue
        attempt.http = error.status
        attempt.detail = error.message
        return attempt
    }

    private func attempt(_ started: AttemptStart, _ word: String, of outcome: ItemOutcome) -> AttemptResult {
        var attempt = Self.attempt(started, word)
        attempt.http = outcome.original.status
        attempt.bytes = outcome.original.data.count
        return attempt
    }

    private static func attempt(_ started: AttemptStart, _ outcome: String) -> AttemptResult {
        AttemptResult(started: started.time, milliseconds: started.milliseconds, outcome: outcome)
    }
}
