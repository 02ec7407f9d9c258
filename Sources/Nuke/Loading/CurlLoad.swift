import Foundation
import FoundationNetworking
import Synchronization
import Transport

/// One load of a ``CurlDataLoader``: its transfers, one after the other, as long as the server redirects.
final class CurlLoad: PrioritizedCancellable {
    private let loader: CurlDataLoader
    private let slots: OperationQueue?
    private let didReceiveData: @Sendable (Data, URLResponse) -> Void
    private let livePriority: LivePriority
    private let state = Mutex<(task: Task<Void, Never>?, slot: SlotOperation?, isCancelled: Bool)>(
        (nil, nil, false)
    )

    init(
        loader: CurlDataLoader,
        priority: Operation.QueuePriority,
        slots: OperationQueue?,
        didReceiveData: @escaping @Sendable (Data, URLResponse) -> Void
    ) {
        self.loader = loader
        self.slots = slots
        self.didReceiveData = didReceiveData
        livePriority = LivePriority(priority)
    }

    func start(_ request: URLRequest, completion: @escaping @Sendable ((any Error)?) -> Void) {
        let task = Task {
            do {
                try await run(request)
                completion(nil)
            } catch {
                completion(error)
            }
        }
        let isCancelled = state.withLock { state in
            state.task = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = state.withLock { state in
            state.isCancelled = true
            return state.task
        }
        task?.cancel()
    }

    func setPriority(_ priority: Operation.QueuePriority) {
        livePriority.priority = priority
        state.withLock { $0.slot }?.queuePriority = priority
    }

    /// Follows the redirects to the end.
    private func run(_ request: URLRequest) async throws {
        guard var url = request.url?.absoluteURL else {
            throw DataLoadingError(.badURL, url: nil, "the request has no URL")
        }
        let limits = loader.configuration.limits(for: url)
        var request = loader.prepared(request, url: url)
        var visited: Set<String> = []
        var remaining = limits.totalTimeout
        while true {
            guard visited.insert("\(request.httpMethod ?? "GET") \(url.absoluteString)").inserted else {
                throw DataLoadingError(.redirects, url: url, "the redirects lead in a circle")
            }
            guard visited.count <= limits.maxRedirects + 1 else {
                throw DataLoadingError(.redirects, url: url, "more than \(limits.maxRedirects) redirects")
            }
            let result = try await transfer(request, url: url, within: remaining)
            remaining -= result.metrics.total
            guard let location = try result.redirection(from: url) else { return }
            let next = try Redirect.next(
                after: request,
                url: url,
                status: result.head.status,
                location: location
            )
            (request, url) = (loader.withHostHeaders(next.request, from: url, to: next.url), next.url)
        }
    }

    /// One transfer: first the host's turn, then a place, then the transfer; then both are given back.
    private func transfer(_ request: URLRequest, url: URL, within: Duration) async throws -> HopResult {
        let transferRequest = try loader.transferRequest(request, url: url, within: within)
        let permit = try await loader.configuration.gate?.acquire(
            host: HostGate.host(of: url),
            priority: livePriority
        )
        let slot = try await acquireSlot()
        defer { slot?.finish() }
        let hop = CurlHop(transferRequest, url: url, observer: loader.configuration.observer, didReceiveData)
        let result: HopResult
        do {
            result = try await hop.run(on: loader.transport)
        } catch let error as TransportError {
            permit?.release(.unknown)
            if error.reason == .cancelled { throw CancellationError() }
            throw DataLoadingError(error, url: url)
        }
        guard let pause = result.throttlePause else {
            permit?.release(.answered)
            return result
        }
        permit?.release(.refused(retryAfter: pause))
        var error = result.statusError(url: url)
        error.isHostHeld = permit != nil && error.retryAfter != nil
        throw error
    }

    private func acquireSlot() async throws -> SlotOperation? {
        guard let slots else { return nil }
        let slot = SlotOperation()
        slot.queuePriority = livePriority.priority
        state.withLock { $0.slot = slot }
        defer { state.withLock { $0.slot = nil } }
        try await slot.begin(in: slots)
        return slot
    }
}

extension CurlDataLoader {
    /// The request with the header fields that the configuration adds.
    fileprivate func prepared(_ request: URLRequest, url: URL) -> URLRequest {
        var request = withHostHeaders(request, from: nil, to: url)
        if request.value(forHTTPHeaderField: "User-Agent") == nil {
            request.setValue(configuration.userAgent, forHTTPHeaderField: "User-Agent")
        }
        return request
    }

    /// Adds the header fields that are meant for the host of `url`, where the request came from another.
    fileprivate func withHostHeaders(_ request: URLRequest, from old: URL?, to url: URL) -> URLRequest {
        if let old, Redirect.isSameOrigin(old, url) { return request }
        var request = request
        // Those for every host may be meant for the first one alone; those set for this host are its own.
        let headers = old == nil ? configuration.limits(for: url).headers : hostHeaders(for: url)
        for (name, value) in headers where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    private func hostHeaders(for url: URL) -> [String: String] {
        (configuration.hosts[HostGate.host(of: url)] ?? configuration.hosts[url.host?.lowercased() ?? ""])?
            .headers ?? [:]
    }

    /// What the transport is to send.
    /// - Throws: ``DataLoadingError`` if the request cannot be sent.
    fileprivate func transferRequest(
        _ request: URLRequest,
        url: URL,
        within remaining: Duration
    ) throws(DataLoadingError) -> TransferRequest {
        guard request.httpBodyStream == nil else {
            throw DataLoadingError(.protocol, url: url, "a body stream cannot be sent; use httpBody")
        }
        guard remaining > .zero else {
            throw DataLoadingError(.timeout, url: url, "the redirects took too long", isTransient: true)
        }
        let limits = configuration.limits(for: url)
        // Sorted, since a dictionary's order changes from run to run.
        let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        var result = TransferRequest(
            url: url.fragment == nil ? url.absoluteString : String(url.absoluteString.prefix { $0 != "#" }),
            host: (url.host ?? "").lowercased(),
            method: request.httpMethod ?? "GET",
            headers: headers.map { TransferRequest.Header($0.key, $0.value) },
            body: request.httpBody
        )
        result.connectTimeout = limits.connectTimeout
        // 60 is what every URLRequest says that nobody changed.
        result.idleTimeout =
            request.timeoutInterval == 60 ? limits.timeout : .seconds(request.timeoutInterval)
        result.totalTimeout = remaining
        result.maximumBytes = limits.maxBytes
        return result
    }
}
