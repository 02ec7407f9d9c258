import JobManifest
import JobPlanning

/// Retries at once for originals without which a run cannot begin.
extension OriginalLoader {
    /// Returns the result of `load`, which is retried after a delay as the manifest's retry policy allows.
    ///
    /// - Throws: the last error, or `ItemError.interrupted` if `control` stops the run meanwhile.
    func insist<Result: Sendable>(
        _ control: RunControl,
        _ load: () async throws(ItemError) -> Result
    ) async throws(ItemError) -> Result {
        let policy = RetryPolicy(manifest.retry)
        let timer = RunTimer()
        control.onStop { timer.ring() }
        var attempt = 1
        while true {
            do throws(ItemError) {
                return try await load()
            } catch {
                switch error.handling {
                case .hostHeld(let milliseconds):
                    await timer.wait(milliseconds: milliseconds)
                case .retry(let most) where attempt < most ?? .max:
                    guard let delay = policy.delay(afterAttempt: attempt) else { throw error }
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
