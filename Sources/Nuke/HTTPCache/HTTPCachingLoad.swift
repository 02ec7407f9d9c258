import Foundation
import FoundationNetworking
import Synchronization

/// One load of a ``HTTPCachingDataLoader``.
final class HTTPCachingLoad: Sendable {
    private let request: URLRequest
    private let loader: HTTPCachingDataLoader
    private let delivery: LoadDelivery
    private var cache: HTTPCache { loader.cache }

    init(_ request: URLRequest, loader: HTTPCachingDataLoader, delivery: LoadDelivery) {
        self.request = request
        self.loader = loader
        self.delivery = delivery
    }

    func follow(_ plan: HTTPCachePlan) {
        switch plan {
        case .bypass(let fallback): exchange(request, validating: fallback, isStored: false)
        case .load: exchange(request, validating: nil)
        case .serve(let entry, let refresh):
            serve(entry, isValidated: false)
            if refresh { loader.refresh(entry, for: request, slots: delivery.slots) }
        case .validate(let entry):
            let asksFirst = !entry.conditions.isEmpty && loader.loader.showsResponses
            exchange(asksFirst ? entry.conditional(request) : request, validating: entry)
        case .refuse(let error): delivery.finish(error)
        }
    }

    private func serve(_ entry: CachedHTTPResponse, isValidated: Bool) {
        guard let response = entry.response(at: cache.now(), isValidated: isValidated) else {
            return delivery.finish(URLError(.cannotParseResponse))
        }
        delivery.respond(response)
        delivery.deliver(entry.body, response)
        delivery.finish(nil)
    }

    private func exchange(_ sent: URLRequest, validating entry: CachedHTTPResponse?, isStored: Bool = true) {
        let exchange = Exchange(start: cache.now(), limit: isStored ? cache.configuration.entrySizeLimit : 0)
        let now = cache.now
        delivery.begin {
            loader.loader.start(
                sent,
                for: delivery,
                into: LoadSink(
                    didReceiveResponse: { response in
                        // Shown only when it is known that no stored one replaces it.
                        exchange.note(response, at: now())
                        exchange.hold(response)
                    },
                    didReceiveData: { [delivery] chunk, response in
                        exchange.note(response, at: now())
                        exchange.append(chunk, response)
                        exchange.release { delivery.respond($0) }
                        delivery.deliver(chunk, response)
                    },
                    completion: { [self] error in
                        Task { await end(exchange, error, validating: entry, isStored: isStored) }
                    }
                )
            )
        }
    }

    private func end(
        _ exchange: Exchange,
        _ error: (any Error)?,
        validating entry: CachedHTTPResponse?,
        isStored: Bool
    ) async {
        // A cancelled exchange does not affect stored responses.
        guard !delivery.isOver else { return }
        let result = exchange.result(at: cache.now())
        let response = result.response ?? (error as? DataLoadingError)?.response
        let failure = error.map { LoadFailure(error: $0, response: response) }
        if let entry, isStored, result.isEmpty, let response, response.statusCode == 304 {
            return await confirm(entry, by: response, result)
        }
        if let failure {
            if let entry, result.isEmpty, failure.isServerError,
                entry.mayReplaceError(for: request, at: cache.now(), cache.configuration.rules)
            {
                return serve(entry, isValidated: false)
            }
            exchange.release { delivery.respond($0) }
            return delivery.finish(failure.error)
        }
        if isStored { await cache.store(result.entry(for: request), for: request) }
        await cache.invalidate(after: request, response)
        exchange.release { delivery.respond($0) }
        delivery.finish(nil)
    }

    /// Delivers a response that the server has confirmed, freshened by the 304.
    private func confirm(
        _ entry: CachedHTTPResponse,
        by response: HTTPURLResponse,
        _ result: Exchange.Result
    ) async {
        guard entry.isConfirmed(by: response) else {
            // It speaks of another response than the stored one, so only the whole will do (section 4.3.4).
            return exchange(request, validating: nil)
        }
        let fresh = entry.freshened(
            by: response,
            requestTime: result.start,
            responseTime: result.responseTime
        )
        await cache.update(fresh, for: request)
        serve(fresh, isValidated: true)
    }
}

/// The result of one exchange with the network.
private final class Exchange: Sendable {
    struct Result: Sendable {
        let start: Date
        let responseTime: Date
        let response: HTTPURLResponse?
        let isEmpty: Bool
        let body: Data?

        /// Returns the response to `request` for storing; nil if its body is incomplete.
        func entry(for request: URLRequest) -> CachedHTTPResponse? {
            guard let response, let body else { return nil }
            return CachedHTTPResponse(
                response,
                body: body,
                request: request,
                requestTime: start,
                responseTime: responseTime
            )
        }
    }

    private struct State {
        var responseTime: Date?
        var response: URLResponse?
        /// Not shown to the consumer yet: it may have to be replaced by a stored one.
        var held: URLResponse?
        var body: CollectedBody
    }

    private let start: Date
    private let state: Mutex<State>

    init(start: Date, limit: Int) {
        self.start = start
        state = Mutex(State(body: CollectedBody(limit: limit)))
    }

    func note(_ response: URLResponse, at now: Date) {
        state.withLock { state in
            if state.responseTime == nil { state.responseTime = now }
            state.response = response
        }
    }

    func append(_ chunk: Data, _ response: URLResponse) {
        state.withLock { $0.body.append(chunk, response) }
    }

    func hold(_ response: URLResponse) {
        state.withLock { $0.held = response }
    }

    /// Delivers the held response, once.
    func release(_ show: (URLResponse) -> Void) {
        let held = state.withLock { $0.held.take() }
        if let held { show(held) }
    }

    func result(at now: Date) -> Result {
        state.withLock { state in
            Result(
                start: start,
                responseTime: state.responseTime ?? now,
                response: state.response as? HTTPURLResponse,
                isEmpty: state.body.isEmpty,
                body: state.body.whole
            )
        }
    }
}
