import Synchronization

/// A bound on the bytes a second that many transfers receive together.
///
/// A transfer that comes too early is paused: its connection's window fills up and the server waits. What it has
/// read by then counts, so that in any t seconds at most rate · (t + 0.1) bytes come, and a buffer of 16 kB.
public final class Bandwidth: Sendable {
    /// The bytes a second.
    public let bytesPerSecond: Int
    private let bucket: Mutex<ByteBucket>

    /// A bound for all transfers whose requests name it.
    public init(bytesPerSecond: Int) {
        self.bytesPerSecond = max(bytesPerSecond, 1)
        bucket = Mutex(ByteBucket(rate: Double(max(bytesPerSecond, 1))))
    }

    /// How long to wait before more may be read; zero for not at all.
    func wait(at now: ContinuousClock.Instant) -> Duration {
        bucket.withLock { $0.wait(at: now) }
    }

    /// Counts bytes that were read.
    func take(_ bytes: Int) {
        bucket.withLock { $0.tokens -= Double(bytes) }
    }
}

/// A bucket of tokens, a byte each, that may be overdrawn by what comes at once.
package struct ByteBucket: Sendable {
    /// What is saved up while nothing comes, in seconds.
    private static let saved = 0.1

    private let rate: Double
    package var tokens: Double
    private var updated: ContinuousClock.Instant?

    /// A full bucket that gets so many tokens a second.
    package init(rate: Double) {
        self.rate = rate
        tokens = rate * Self.saved
    }

    /// How long until there is something in it; zero if there is.
    package mutating func wait(at now: ContinuousClock.Instant) -> Duration {
        let seconds = updated.map { $0.duration(to: now) / .seconds(1) } ?? 0
        if seconds > 0 || updated == nil {
            tokens = min(tokens + rate * seconds, rate * Self.saved)
            updated = now
        }
        return tokens > 0 ? .zero : .seconds((1 - tokens) / rate)
    }
}
