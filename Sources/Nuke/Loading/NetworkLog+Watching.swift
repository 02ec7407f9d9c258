import Foundation
import FoundationNetworking
import Synchronization
import Transport

extension NetworkLog {
    /// A loader that does what `loader` does, and is logged.
    ///
    /// What `loader` tries anew or is redirected to belongs to one request in the log, as long as it starts
    /// its loads in the call, or in tasks that it makes in the call.
    /// - Parameters:
    ///   - loader: Any loader.
    ///   - reportsTransfers: Whether the transfers below it come to this log's ``observer``. Then a load
    ///     without any is one that a cache has answered; otherwise the load itself becomes an entry.
    /// - Returns: The loader to use instead.
    public func watching(_ loader: any DataLoading, reportsTransfers: Bool = false) -> any DataLoading {
        guard let loader = loader as? any SlottedDataLoading else {
            return WatchedLoader(loader: loader, log: self, reportsTransfers: reportsTransfers)
        }
        return WatchedSlottedLoader(loader: loader, log: self, reportsTransfers: reportsTransfers)
    }
}

private struct WatchedLoader: DataLoading {
    let loader: any DataLoading
    let log: NetworkLog
    let reportsTransfers: Bool

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        let watched = WatchedLoad(request, log, reportsTransfers, didReceiveData, completion)
        return LoadNumber.$watch.withValue(watched.watch) {
            loader.loadData(with: request, didReceiveData: watched.receive, completion: watched.complete)
        }
    }
}

private struct WatchedSlottedLoader: SlottedDataLoading {
    let loader: any SlottedDataLoading
    let log: NetworkLog
    let reportsTransfers: Bool

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        WatchedLoader(loader: loader, log: log, reportsTransfers: reportsTransfers)
            .loadData(with: request, didReceiveData: didReceiveData, completion: completion)
    }

    func loadData(
        with request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any PrioritizedCancellable {
        let watched = WatchedLoad(request, log, reportsTransfers, didReceiveData, completion)
        return LoadNumber.$watch.withValue(watched.watch) {
            loader.loadData(
                with: request,
                priority: priority,
                slots: slots,
                prepare: prepare.map(watched.noting),
                didReceiveData: watched.receive,
                completion: watched.complete
            )
        }
    }
}

/// One load that passes by, and what the log is to know of it.
private final class WatchedLoad: Sendable {
    private struct Seen {
        var request: URLRequest
        var response: URLResponse?
        var bytes = 0
        var first: ContinuousClock.Instant?
    }

    let watch: UInt64
    private let log: NetworkLog
    private let reportsTransfers: Bool
    private let didReceiveData: @Sendable (Data, URLResponse) -> Void
    private let completion: @Sendable ((any Error)?) -> Void
    private let begin = ContinuousClock.now
    private let start = Date()
    private let seen: Mutex<Seen>

    init(
        _ request: URLRequest,
        _ log: NetworkLog,
        _ reportsTransfers: Bool,
        _ didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        watch = log.beginWatch()
        seen = Mutex(Seen(request: request))
        self.log = log
        self.reportsTransfers = reportsTransfers
        self.didReceiveData = didReceiveData
        self.completion = completion
    }

    /// Does what `prepare` does, and takes the request as it is sent.
    func noting(_ prepare: @escaping RequestPreparation) -> RequestPreparation {
        { [self] request in
            let prepared = try await prepare(request)
            seen.withLock { $0.request = prepared }
            return prepared
        }
    }

    @Sendable func receive(_ data: Data, _ response: URLResponse) {
        seen.withLock { seen in
            seen.response = response
            seen.bytes += data.count
            seen.first = seen.first ?? .now
        }
        didReceiveData(data, response)
    }

    @Sendable func complete(_ error: (any Error)?) {
        log.endWatch(watch, entry(error))
        completion(error)
    }

    private func entry(_ error: (any Error)?) -> NetworkLog.Entry {
        let (seen, end) = (self.seen.withLock { $0 }, ContinuousClock.now)
        let (request, redaction) = (seen.request, log.configuration.redaction)
        let response = (seen.response as? HTTPURLResponse) ?? (error as? DataLoadingError)?.response
        var timings = NetworkLog.Timings()
        timings.wait = (seen.first ?? end) - begin
        timings.receive = end - (seen.first ?? end)
        return NetworkLog.Entry(
            request: watch,
            redirects: 0,
            start: start,
            method: request.httpMethod ?? "GET",
            url: redaction.redacted(url: request.url?.absoluteString ?? ""),
            requestHeaders: redaction.redacted(Self.headers(request.allHTTPHeaderFields ?? [:])),
            requestHeadBytes: nil,
            requestBodyBytes: request.httpBody?.count ?? 0,
            status: response?.statusCode,
            responseHeaders: redaction.redacted(
                Self.headers(response?.allHeaderFields as? [String: String] ?? [:])
            ),
            responseHeadBytes: nil,
            responseBodyBytes: seen.bytes,
            protocolName: "",
            address: "",
            isConnectionReused: nil,
            source: reportsTransfers && error == nil ? .cache : .network,
            timings: timings,
            error: error.map(Self.text)
        )
    }

    /// What is known to hold no URL: of a foreign error its type and code alone.
    private static func text(_ error: any Error) -> String {
        (error as? DataLoadingError)?.message ?? "\(type(of: error)) \((error as NSError).code)"
    }

    private static func headers(_ fields: [String: String]) -> [TransferRequest.Header] {
        fields.sorted { $0.key < $1.key }.map { TransferRequest.Header($0.key, $0.value) }
    }
}
