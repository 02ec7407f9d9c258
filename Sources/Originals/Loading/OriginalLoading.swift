package import Foundation
package import FoundationNetworking

/// A running operation that can be cancelled.
public protocol Cancellable: Sendable {
    /// Cancels the operation, from any thread; without effect after its end.
    ///
    /// It never waits for the operation, so it may be called with a lock held, and in the operation's own callbacks.
    func cancel()
}

/// A load whose priority can change while it waits.
package protocol PrioritizedCancellable: Cancellable {
    /// Changes the priority of the load among those that wait.
    func setPriority(_ priority: Operation.QueuePriority)
}

/// Changes a request just before it is sent.
package typealias RequestPreparation = @Sendable (URLRequest) async throws -> URLRequest

/// A loader of bytes that takes its slots of a queue by itself, just before each transfer begins.
///
/// So a load that waits for its host's rate limiter holds no slot.
package protocol OriginalLoading: Sendable {
    /// True if it waits for a `HostRateLimiter` of its own.
    var hasRateLimiter: Bool { get }

    /// Starts loading.
    ///
    /// The sink receives each chunk of the body alone, in order and never two at once, and then the end, exactly once: nil for
    /// success, and a `CancellationError` for a load that was cancelled, by which the caller releases what it holds for it.
    /// - Parameters:
    ///   - request: The request to load.
    ///   - priority: The priority among the loads that wait, at the host's rate limiter and in `slots`.
    ///   - slots: The queue whose width bounds the running transfers.
    ///   - prepare: Changes the request, once, in a slot; an error that it throws ends the load.
    ///   - sink: Receives the chunks and the end, but not the response.
    /// - Returns: A handle that cancels the load or changes its priority.
    func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable
}
