import Foundation
import FoundationNetworking

/// A loader that retries transient failures of another loader.
///
/// It retries only requests that are safe to repeat (idempotent methods, RFC 9110, section 9.2.2, and no
/// body stream), and only before the consumer has received a byte: later interruptions fail, and are resumed
/// with ``ResumableData``. Between two attempts it waits a random time up to a bound that doubles ("full
/// jitter"), or as long as the server asks for with `Retry-After` (RFC 9110, section 10.2.3).
///
/// It fails with the error of the last attempt.
public final class RetryingDataLoader: ResponseReportingDataLoading {
    /// The rules for retries.
    public struct Policy: Sendable {
        /// The most times that a request is sent, including the first.
        public var attempts = 3
        /// The longest pause before the second attempt; it doubles before each further one.
        public var baseDelay: Duration = .milliseconds(500)
        /// The longest pause before any attempt, unless the server asks for one.
        public var longestDelay: Duration = .seconds(30)
        /// The longest `Retry-After` that is honoured; if a server asks for more, there is no retry, and
        /// the load fails.
        public var longestRetryAfter: Duration = .seconds(60)
        /// The methods that are retried: the idempotent ones.
        public var methods: Set<String> = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"]
        /// The statuses that are retried: timeouts, too early, too many requests, and faults of servers and
        /// gateways.
        public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

        /// Creates the defaults: three attempts, half a second doubled, as in Alamofire's retry policy, with jitter.
        public init() {}

        /// Returns the longest pause after so many attempts.
        func longestPause(after attempts: Int) -> Duration {
            // 2³⁰ times any sensible delay is beyond any sensible bound.
            min(baseDelay * (1 << min(max(attempts - 1, 0), 30)), longestDelay)
        }
    }

    /// The loader of each attempt.
    public let loader: any DataLoading
    /// The rules for retries.
    public let policy: Policy
    let clock: any Clock<Duration>
    let random: @Sendable () -> Double

    /// Creates a loader on top of another.
    /// - Parameters:
    ///   - loader: The loader of each attempt; its `Retry-After` is known if it is a ``ResponseReportingDataLoading``.
    ///   - policy: The rules for retries.
    ///   - clock: Measures the pauses.
    ///   - random: Returns the part of the longest pause to wait, from 0 to 1.
    public init(
        _ loader: any DataLoading,
        policy: Policy = Policy(),
        clock: any Clock<Duration> = ContinuousClock(),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        self.loader = loader
        self.policy = policy
        self.clock = clock
        self.random = random
    }
}

extension RetryingDataLoader: LayeredDataLoading {
    package func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
        RetryingLoad(request, loader: self, delivery: delivery).attempt(1)
        return delivery
    }
}
