public import Foundation
public import FoundationNetworking

extension CurlDataLoader: ResponseReportingDataLoading {
    /// Starts loading.
    public func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Swift.Error)?) -> Void
    ) -> any Cancellable {
        let sink = LoadSink(didReceiveData: didReceiveData, completion: completion)
        return ConsumerLoad(for: sink) { start(request, into: $0) }
    }
}
