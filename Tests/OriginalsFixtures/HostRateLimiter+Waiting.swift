public import Originals
import TestSupport

extension HostRateLimiter {
    /// Suspends until so many requests wait for a host.
    public func wait(for count: Int, at host: String) async throws {
        try await eventually { (waiting.first { $0.host == host }?.count ?? 0) >= count }
    }
}
