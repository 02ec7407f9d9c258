public import Foundation
public import FoundationNetworking

/// A loader that reports the head of each response, even if it rejects the response or there is no body.
///
/// ``HTTPCachingDataLoader`` revalidates (304) only through such a loader and loads again through others;
/// ``RetryingDataLoader`` reads `Retry-After` from it. To conform, call `didReceiveResponse` as soon as the head has
/// arrived, before judging the status. A loader whose refusals are ``DataLoadingError`` with a response needs no method:
/// the conformance is enough.
public protocol ResponseReportingDataLoading: DataLoading {
    /// Starts loading, as ``DataLoading/loadData(with:didReceiveData:completion:)``.
    /// - Parameters:
    ///   - request: The request to load.
    ///   - didReceiveResponse: Receives the response, at most once, before the first chunk and before the end.
    ///   - didReceiveData: Receives each chunk of the body with the response it belongs to.
    ///   - completion: Receives the end.
    /// - Returns: A handle that cancels the load.
    func loadData(
        with request: URLRequest,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable
}

extension ResponseReportingDataLoading {
    /// Shows the response of the first chunk, or else that of the error.
    public func loadData(
        with request: URLRequest,
        didReceiveResponse: @escaping @Sendable (URLResponse) -> Void,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        let sink = LoadSink(
            didReceiveResponse: didReceiveResponse,
            didReceiveData: didReceiveData,
            completion: completion
        ).showingResponses
        return loadData(with: request, didReceiveData: sink.didReceiveData, completion: sink.completion)
    }
}
