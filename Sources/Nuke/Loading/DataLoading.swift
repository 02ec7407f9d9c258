public import Foundation
public import FoundationNetworking

/// A running operation that can be cancelled.
public protocol Cancellable: Sendable {
    /// Cancels the operation, from any thread; without effect after its end.
    ///
    /// It never waits for the operation, so it may be called with a lock held, and in the operation's own callbacks.
    func cancel()
}

/// A loader of data for requests.
///
/// `didReceiveData` may be called many times, from any thread but never from two at once: each call carries
/// the next chunk alone, in order, and the response. `completion` is called exactly once, after the last
/// chunk; nil means success. Nothing is called after it.
///
/// After `cancel()` nothing is called, not even `completion`: only a call that another thread has already begun goes on.
public protocol DataLoading: Sendable {
    /// Starts loading.
    /// - Parameters:
    ///   - request: The request to load.
    ///   - didReceiveData: Receives each chunk of the body with the response it belongs to.
    ///   - completion: Receives the end.
    /// - Returns: A handle that cancels the load.
    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable
}

/// A load whose priority can change while it waits.
package protocol PrioritizedCancellable: Cancellable {
    /// Changes the priority of the load among those that wait.
    func setPriority(_ priority: Operation.QueuePriority)
}

/// Changes a request just before it is sent.
package typealias RequestPreparation = @Sendable (URLRequest) async throws -> URLRequest

/// A loader that takes its slots of a queue by itself, just before each transfer begins.
///
/// So a load that waits for its host's rate limiter holds no slot.
package protocol SlottedDataLoading: DataLoading {
    /// Starts loading, by the contract of ``DataLoading`` but for this: a load that is cancelled ends, too.
    ///
    /// Its end is a `CancellationError`, by which the caller releases what it holds for the load.
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

extension SlottedDataLoading {
    /// Starts loading the request as it is; a load that is cancelled ends, too.
    package func loadData(
        with request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any PrioritizedCancellable {
        load(
            request,
            priority: priority,
            slots: slots,
            prepare: nil,
            into: LoadSink(didReceiveData: didReceiveData, completion: completion)
        )
    }
}
