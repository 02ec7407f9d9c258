import Foundation
import FoundationNetworking

/// Repeats loads that fail for a reason that may pass.
///
/// It repeats only requests that may be sent twice without harm (idempotent methods, RFC 9110, section 9.2.2, and no
/// body stream), and only while the consumer has no byte of the body: what breaks off later fails, and is continued
/// by who keeps ``ResumableData``. Between two attempts it waits a random time up to a bound that doubles ("full
/// jitter"), or as long as the server asks for with `Retry-After` (RFC 9110, section 10.2.3).
///
/// It fails with the error of the last attempt.
public final class RetryingDataLoader: ResponseReportingDataLoading {
    /// What is repeated, how often and when.
    public struct Policy: Sendable {
        /// How often a request is sent at most, the first time included.
        public var attempts = 3
        /// The longest pause before the second attempt; before each further one it is doubled.
        public var baseDelay: Duration = .milliseconds(500)
        /// The longest pause before any attempt, where the server asks for none.
        public var longestDelay: Duration = .seconds(30)
        /// The longest `Retry-After` that is waited for; a server that asks for more gets no further request, and
        /// the load fails.
        public var longestRetryAfter: Duration = .seconds(60)
        /// The methods that are repeated: the idempotent ones.
        public var methods: Set<String> = ["DELETE", "GET", "HEAD", "OPTIONS", "PUT", "TRACE"]
        /// The statuses that are repeated: time limits, too early, too many requests, and faults of servers and
        /// gateways.
        public var statuses: Set<Int> = [408, 425, 429, 500, 502, 503, 504]

        /// The defaults: three attempts, half a second doubled, as Alamofire's retry policy has them, with jitter.
        public init() {}

        /// The longest pause after so many attempts.
        func longestPause(after attempts: Int) -> Duration {
            // 2³⁰ times any sensible delay is beyond any sensible bound.
            min(baseDelay * (1 << min(max(attempts - 1, 0), 30)), longestDelay)
        }
    }

    /// Makes each attempt.
    public let loader: any DataLoading
    /// What is repeated, how often and when.
    public let policy: Policy
    let clock: any Clock<Duration>
    let random: @Sendable () -> Double

    /// A loader over another.
    /// - Parameters:
    ///   - loader: Makes each attempt. Its `Retry-After` is known if it is a ``ResponseReportingDataLoading``.
    ///   - policy: What is repeated, how often and when.
    ///   - clock: Measures the pauses.
    ///   - random: Which part of the longest pause is waited, from 0 to 1.
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
    func begin(_ request: URLRequest, for delivery: LoadDelivery) -> LoadDelivery {
        RetryingLoad(request, loader: self, delivery: delivery).attempt(1)
        return delivery
    }
}
