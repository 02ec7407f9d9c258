public import Foundation
public import FoundationNetworking

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

extension DataLoading {
    /// Starts a load, and shows its response to the sink if the loader reports responses.
    func load(_ request: URLRequest, into sink: LoadSink) -> any Cancellable {
        guard let didReceiveResponse = sink.didReceiveResponse,
            let loader = self as? any ResponseReportingDataLoading
        else {
            return loadData(with: request, didReceiveData: sink.didReceiveData, completion: sink.completion)
        }
        return loader.loadData(
            with: request,
            didReceiveResponse: didReceiveResponse,
            didReceiveData: sink.didReceiveData,
            completion: sink.completion
        )
    }
}
