import JobManifest

/// The schedule of retries: exponential backoff with full jitter, so that many failures at once do not retry at once.
struct RetryPolicy: Sendable {
    /// The most attempts of an item, at least 1.
    let attempts: Int
    /// The first and the longest backoff, in seconds.
    let backoff: ClosedRange<Double>

    /// The policy of a manifest's settings.
    init(_ settings: RetrySettings) {
        attempts = settings.attempts
        backoff = Self.seconds(settings.backoff.lowerBound)...Self.seconds(settings.backoff.upperBound)
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
    }

    /// Returns the delay in milliseconds after the failed attempt number `attempt` (from 1); nil if it was the last.
    func delay(afterAttempt attempt: Int) -> Int64? {
        guard attempt < attempts else { return nil }
        let longest = min(backoff.upperBound, backoff.lowerBound * Double(1 << min(attempt - 1, 30)))
        return Int64(Double.random(in: 0...longest) * 1000)
    }
}
