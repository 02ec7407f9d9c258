package import JobManifest

/// The schedule of retries: exponential backoff with full jitter, so that many failures at once do not retry at once.
package struct RetryPolicy: Sendable {
    /// The most attempts of an item, at least 1.
    let attempts: Int
    /// The first and the longest backoff, in seconds.
    let backoff: ClosedRange<Double>

    /// The policy of a manifest's settings.
    package init(_ settings: RetrySettings) {
        attempts = settings.attempts
        backoff = settings.backoff.lowerBound / .seconds(1)...settings.backoff.upperBound / .seconds(1)
    }

    /// Returns the delay in milliseconds after the failed attempt number `attempt` (from 1); nil if it was the last.
    package func delay(afterAttempt attempt: Int) -> Int64? {
        guard attempt < attempts else { return nil }
        let longest = min(backoff.upperBound, backoff.lowerBound * Double(1 << min(attempt - 1, 30)))
        return Int64(Double.random(in: 0...longest) * 1000)
    }

    /// Returns the result of `load`, without which a run cannot begin: it is retried at once, after the delay of each attempt.
    ///
    /// - Throws: The last error, or `ItemError.interrupted` if `control` stops the run meanwhile.
    package func insist<Result: Sendable>(
        _ control: RunControl,
        _ load: () async throws(ItemError) -> Result
    ) async throws(ItemError) -> Result {
        let timer = RunTimer()
        control.onStop { timer.ring() }
        var (attempt, pauses) = (1, 0)
        while true {
            do throws(ItemError) {
                return try await load()
            } catch {
                switch error.handling {
                case .hostHeld(let milliseconds, let most) where pauses < most ?? .max:
                    await timer.wait(milliseconds: milliseconds)
                    pauses += 1
                case .retry(let most) where attempt < most ?? .max:
                    guard let delay = self.delay(afterAttempt: attempt) else { throw error }
                    await timer.wait(milliseconds: delay)
                    attempt += 1
                default:
                    throw error
                }
                if control.isStopping { throw .interrupted }
            }
        }
    }
}
