import Foundation
import FoundationNetworking
import Synchronization
import Transport

extension NetworkLog {
    /// Returns a loader that wraps `loader` and logs its loads.
    ///
    /// Retries and redirects of `loader` belong to one request in the log, as long as it starts
    /// its loads within the call, or in tasks created within the call.
    /// - Parameters:
    ///   - loader: Any loader.
    ///   - reportsTransfers: True if its transfers are reported to this log's ``observer``. Then a load
    ///     without any was answered by a cache; otherwise the load itself becomes an entry.
    /// - Returns: The loader to use instead of `loader`.
    public func watching(_ loader: any DataLoading, reportsTransfers: Bool = false) -> any DataLoading {
        guard let loader = loader as? any DataLoading & OriginalLoading else {
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
        let sink = LoadSink(didReceiveData: didReceiveData, completion: completion)
        return ConsumerLoad(for: sink) { sink in
            let watched = WatchedLoad(request, log: log, reportsTransfers: reportsTransfers, sink: sink)
            let load = LoadNumber.$watch.withValue(watched.watch) {
                loader.load(request, into: watched.sink)
            }
            return Cancellation {
                load.cancel()
                watched.cancel()
            }
        }
    }

    /// Cancels a load and ends its entry: the loader reports nothing about a cancelled load.
    private struct Cancellation: Cancellable {
        let action: @Sendable () -> Void

        func cancel() { action() }
    }
}

private struct WatchedSlottedLoader: DataLoading, OriginalLoading {
    let loader: any DataLoading & OriginalLoading
    let log: NetworkLog
    let reportsTransfers: Bool

    var hasRateLimiter: Bool { loader.hasRateLimiter }

    func loadData(
        with request: URLRequest,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) -> any Cancellable {
        WatchedLoader(loader: loader, log: log, reportsTransfers: reportsTransfers)
            .loadData(with: request, didReceiveData: didReceiveData, completion: completion)
    }

    func load(
        _ request: URLRequest,
        priority: Operation.QueuePriority,
        slots: OperationQueue,
        prepare: RequestPreparation?,
        into sink: LoadSink
    ) -> any PrioritizedCancellable {
        let watched = WatchedLoad(request, log: log, reportsTransfers: reportsTransfers, sink: sink)
        return LoadNumber.$watch.withValue(watched.watch) {
            loader.load(
                request,
                priority: priority,
                slots: slots,
                prepare: prepare.map(watched.noting),
                into: watched.sink
            )
        }
    }
}

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
    private let consumer: LoadSink
    private let begin = ContinuousClock.now
    private let start = Date()
    private let seen: Mutex<Seen>

    init(_ request: URLRequest, log: NetworkLog, reportsTransfers: Bool, sink: LoadSink) {
        watch = log.beginWatch()
        seen = Mutex(Seen(request: request))
        self.log = log
        self.reportsTransfers = reportsTransfers
        consumer = sink
    }

    /// Returns `prepare`, changed so that the log knows the request as it is sent.
    func noting(_ prepare: @escaping RequestPreparation) -> RequestPreparation {
        { [self] request in
            let prepared = try await prepare(request)
            seen.withLock { $0.request = prepared }
            return prepared
        }
    }

    /// A sink that logs the load and passes it on to its consumer.
    var sink: LoadSink { LoadSink(didReceiveData: receive, completion: complete) }

    @Sendable private func receive(_ data: Data, _ response: URLResponse) {
        seen.withLock { seen in
            seen.response = response
            seen.bytes += data.count
            seen.first = seen.first ?? .now
        }
        consumer.didReceiveData(data, response)
    }

    @Sendable private func complete(_ error: (any Error)?) {
        log.endWatch(watch, entry(error))
        consumer.completion(error)
    }

    /// Ends the entry of a load that was cancelled; one whose transfers are reported is logged by these.
    func cancel() {
        log.endWatch(watch, reportsTransfers ? nil : entry(CancellationError()))
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

    /// Returns text that holds no URL: for foreign errors their type and code alone.
    private static func text(_ error: any Error) -> String {
        (error as? DataLoadingError)?.message ?? "\(type(of: error)) \((error as NSError).code)"
    }

    private static func headers(_ fields: [String: String]) -> [TransferRequest.Header] {
        fields.sorted { $0.key < $1.key }.map { TransferRequest.Header($0.key, $0.value) }
    }
}
