/// What a run cannot begin without is tried again at once, not by a later claim.
extension OriginalLoader {
    /// What `load` gives, which is called again after a wait as often as the manifest says and as that may help.
    ///
    /// - Throws: the last error, or `ItemError.interrupted` where `control` stops the run meanwhile.
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
