import Synchronization

/// A limit on the bytes per second that several transfers receive together.
///
/// A transfer above the limit is paused: its receive window fills up and the server waits. Bytes already read count, so
/// in any t seconds at most rate · (t + 0.1) bytes arrive, plus a buffer of 16 kB.
public final class Bandwidth: Sendable {
    /// The limit in bytes per second.
    public let bytesPerSecond: Int
    private let bucket: Mutex<ByteBucket>

    /// Creates a limit for all transfers whose requests refer to it.
    public init(bytesPerSecond: Int) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        bucket = Mutex(ByteBucket(rate: Double(max(bytesPerSecond, 1))))
    }

    /// The time to wait before reading more; zero if there is no need to wait.
    func wait(at now: ContinuousClock.Instant) -> Duration {
        bucket.withLock { $0.wait(at: now) }
    }

    /// Counts bytes that were read.
    func take(_ bytes: Int) {
        bucket.withLock { $0.tokens -= Double(bytes) }
    }
}

/// A token bucket with one token per byte.
///
/// A read may overdraw it.
package struct ByteBucket: Sendable {
    /// The bucket's capacity, in seconds of the rate.
    private static let saved = 0.1

    private let rate: Double
    package var tokens: Double
    private var updated: ContinuousClock.Instant?

    /// Creates a full bucket that gains `rate` tokens per second.
    package init(rate: Double) {
        self.rate = rate
        tokens = rate * Self.saved
    }

    /// The time until the bucket is no longer overdrawn; zero if it isn't.
    package mutating func wait(at now: ContinuousClock.Instant) -> Duration {
        let seconds = updated.map { $0.duration(to: now) / .seconds(1) } ?? 0
        if seconds > 0 || updated == nil {
            tokens = min(tokens + rate * seconds, rate * Self.saved)
            updated = now
        }
        return tokens > 0 ? .zero : .seconds((1 - tokens) / rate)
    }
}
