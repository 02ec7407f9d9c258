public import Foundation
public import FoundationNetworking
import Synchronization

/// A loader that shows the head of each answer, also of one that it refuses or that has no body.
///
/// ``HTTPCachingDataLoader`` asks servers for confirmation (304) only through such a loader, and loads anew through
/// others; ``RetryingDataLoader`` finds `Retry-After` in it. A loader of one's own conforms by calling
/// `didReceiveResponse` as soon as it has the head, before it judges the status. One whose refusals are
/// ``DataLoadingError`` with a response needs no method: that it conforms is enough.
public protocol ResponseReportingDataLoading: DataLoading {
    /// Starts loading, as ``DataLoading/loadData(with:didReceiveData:completion:)``.
    /// - Parameters:
    ///   - request: What to load.
    ///   - didReceiveResponse: Gets the response, at most once, before the first chunk and before the end.
    ///   - didReceiveData: Gets each chunk of the body with the response it belongs to.
    ///   - completion: Gets the end.
    /// - Returns: Cancels the load.
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
        let shown = Once(didReceiveResponse)
        return loadData(
            with: request,
            didReceiveData: { chunk, response in
                shown(response)
                didReceiveData(chunk, response)
            },
            completion: { error in
                if let response = (error as? DataLoadingError)?.response { shown(response) }
                completion(error)
            }
        )
    }
}

extension CurlDataLoader: ResponseReportingDataLoading {}

/// Shows the first response it is given.
final class Once: Sendable {
    private let isDone = Mutex(false)
    private let call: @Sendable (URLResponse) -> Void

    init(_ call: @escaping @Sendable (URLResponse) -> Void) {
        self.call = call
    }

    func callAsFunction(_ response: URLResponse) {
        let isFirst = isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
        if isFirst { call(response) }
    }
}
