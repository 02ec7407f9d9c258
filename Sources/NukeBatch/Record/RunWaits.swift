import JobPlanning
import Nuke

/// The hosts that keep requests of a run waiting: those of originals, and the bucket of its outputs.
struct RunWaits: Sendable {
    private let rateLimiter: HostRateLimiter
    private let destination: BucketPacing?

    /// The waits of a run whose originals are limited by `rateLimiter`.
    init(_ context: RunContext, _ rateLimiter: HostRateLimiter) {
        (self.rateLimiter, destination) = (rateLimiter, context.destinationPacing)
    }

    /// All of them; a bucket of originals and outputs is told once.
    var all: [HostRateLimiter.Waiting] {
        let loading = rateLimiter.waiting
        let writing = destination?.waiting ?? []
        return loading + writing.filter { wait in !loading.contains { $0.host == wait.host } }
    }
}
