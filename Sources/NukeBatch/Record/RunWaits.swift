import JobPlanning
import Originals

/// The hosts that keep requests of a run waiting: those of originals, listed buckets, and the bucket of its outputs.
struct RunWaits: Sendable {
    private let limiters: [HostRateLimiter]
    private let destination: BucketPacing?

    /// The waits of a run that loads by these limiters.
    init(_ context: RunContext, _ limiters: HostRateLimiter...) {
        (self.limiters, destination) = (limiters, context.destinationPacing)
    }

    /// All of them; a bucket is told once.
    var all: [HostRateLimiter.Waiting] {
        let waiting = limiters.flatMap(\.waiting) + (destination?.waiting ?? [])
        return waiting.reduce(into: []) { all, wait in
            if !all.contains(where: { $0.host == wait.host }) { all.append(wait) }
        }
    }
}
