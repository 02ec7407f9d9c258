import Foundation
import FoundationNetworking
import Nuke
import Synchronization

/// One load of a ``FaultInjectingDataLoader``.
final class FaultyLoad: Sendable {
    typealias Fault = FaultInjectingDataLoader.Fault

    private let request: URLRequest
    private let loader: FaultInjectingDataLoader
    private let delivery: LoadDelivery
    private let delivered = Mutex(0)

    init(_ request: URLRequest, loader: FaultInjectingDataLoader, delivery: LoadDelivery) {
        self.request = request
        self.loader = loader
        self.delivery = delivery
    }

    /// Applies the faults in order.
    func follow(_ faults: [Fault]) {
        switch faults.first {
        case .delay(let pause):
            delivery.begin {
                CancellableTask { [self] in
                    // If cancelled, the load has already ended.
                    guard (try? await loader.clock.sleep(for: pause)) != nil else { return }
                    follow(Array(faults.dropFirst()))
                }
            }
        case .fail(let error): delivery.finish(error)
        case .status(let status, let headers): refuse(status, headers)
        case .failAfter(let bytes, let error): load(until: bytes, .finish(error))
        case .truncate(let bytes): load(until: bytes, .finish(nil))
        case .stall(let bytes): load(until: bytes, .stall)
        case nil: load(until: nil, .stall)
        }
    }

    private enum Ending: Sendable {
        case finish((any Error)?)
        /// Until the consumer cancels.
        case stall
    }

    private func refuse(_ status: Int, _ headers: [String: String]) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url,
                statusCode: status,
                httpVersion: "HTTP/1.1",
                headerFields: headers
            )
        else { return delivery.finish(URLError(.badURL)) }
        var error = DataLoadingError(status: status, response: response, url: url)
        error.retryAfter = response.field("Retry-After").flatMap {
            RetryAfter.duration($0)
        }
        delivery.respond(response)
        delivery.finish(error)
    }

    /// Loads, and ends as `ending` says as soon as `limit` bytes have come, or all if there are fewer.
    private func load(until limit: Int?, _ ending: Ending) {
        delivery.begin {
            loader.loader.start(
                request,
                for: delivery,
                into: LoadSink(
                    didReceiveResponse: { [delivery] in delivery.respond($0) },
                    didReceiveData: { [self] chunk, response in
                        guard let limit else { return delivery.deliver(chunk, response) }
                        let room = delivered.withLock { delivered in
                            defer { delivered += chunk.count }
                            return max(0, limit - delivered)
                        }
                        if room > 0 { delivery.deliver(Data(chunk.prefix(room)), response) }
                        if room <= chunk.count { end(ending) }
                    },
                    completion: { [self] error in
                        let isReached = limit.map { limit in delivered.withLock { $0 >= limit } } ?? false
                        if limit == nil || (error != nil && !isReached) {
                            delivery.finish(error)
                        } else {
                            end(ending)
                        }
                    }
                )
            )
        }
    }

    private func end(_ ending: Ending) {
        // What still comes of a transfer that stalls is dropped, since its bytes are beyond the limit.
        if case .finish(let error) = ending { delivery.stop(error) }
    }
}
