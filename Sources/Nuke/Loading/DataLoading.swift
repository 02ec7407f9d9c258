public import Foundation
public import FoundationNetworking

/// Something that is going on and can be cancelled.
public protocol Cancellable: Sendable {
    /// Cancels it, from any thread; without effect once it has ended.
    func cancel()
}

/// Fetches the data of a request.
///
/// `didReceiveData` may be called many times, from any thread but never from two at once: each call carries
/// the next chunk alone, in order, and the response. `completion` is called exactly once, after the last
/// chunk; nil means success. After it nothing is called. After `cancel()` nothing need be called.
public protocol DataLoading: Sendable {
    /// Starts loading.
    /// - Parameters:
    ///   - request: What to load.
    ///   - didReceiveData: Gets each chunk of the body with the response it belongs to.
    ///   - completion: Gets the end.
    /// - Returns: Cancels the load.
    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable
}

/// A load whose priority can change while it waits.
package protocol PrioritizedCancellable: Cancellable {
    /// Moves the load to another place among those that wait.
    func setPriority(_ priority: Operation.QueuePriority)
}

/// Changes a request just before it is sent.
package typealias RequestPreparation = @Sendable (URLRequest) async throws -> URLRequest

/// A loader that takes its places in a queue by itself, just before each transfer begins.
///
/// So a load that waits for its host's turn holds none of the places.
package protocol SlottedDataLoading: DataLoading {
    /// As ``DataLoading/loadData(with:didReceiveData:completion:)``.
    /// - Parameters:
    ///   - request: What to load.
    ///   - priority: The place among the loads that wait, at the host's gate and in `slots`.
    ///   - slots: The queue whose width bounds the transfers that run.
    ///   - prepare: Changes the request, once, in a place of `slots`; what it throws is the end.
    ///   - didReceiveData: Gets each chunk of the body with the response it belongs to.
    ///   - completion: Gets the end.
    /// - Returns: Cancels the load, or changes its priority.
    func loadData(
        with request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any PrioritizedCancellable
}

extension SlottedDataLoading {
    /// As above, with the request as it is.
    package func loadData(
        with request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any PrioritizedCancellable {
        loadData(
            with: request,
            priority: priority,
            slots: slots,
            prepare: nil,
            didReceiveData: didReceiveData,
            completion: completion
        )
    }
}
