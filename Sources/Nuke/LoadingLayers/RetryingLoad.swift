import Foundation
import FoundationNetworking
import Synchronization

/// One load of a ``RetryingDataLoader``: its attempts, one after the other.
final class RetryingLoad: Sendable {
    private let request: URLRequest
    private let loader: RetryingDataLoader
    private let delivery: LoadDelivery
    /// The head of the running attempt's answer, until the consumer sees it.
    private let response = Mutex<URLResponse?>(nil)

    init(_ request: URLRequest, loader: RetryingDataLoader, delivery: LoadDelivery) {
        self.request = request
        self.loader = loader
        self.delivery = delivery
    }

    /// Starts the attempt with this number, from 1.
    func attempt(_ number: Int) {
        response.withLock { $0 = nil }
        delivery.begin {
            loader.loader.start(
                request,
                for: delivery,
                into: LoadSink(
                    didReceiveResponse: { [self] response in self.response.withLock { $0 = response } },
                    didReceiveData: { [self] chunk, response in
                        showResponse()
                        delivery.deliver(chunk, response)
                    },
                    completion: { [self] error in end(number, error) }
                )
            )
        }
    }

    private func end(_ number: Int, _ error: (any Error)?) {
        guard let error, let pause = pause(after: number, error) else {
            showResponse()
            return delivery.finish(error)
        }
        delivery.begin {
            CancellableTask { [self] in
                // If cancelled, the load has already ended.
                guard (try? await loader.clock.sleep(for: pause)) != nil else { return }
                attempt(number + 1)
            }
        }
    }

    /// Returns the pause before the next attempt; nil if there is none.
    private func pause(after number: Int, _ error: any Error) -> Duration? {
        let policy = loader.policy
        let failure = LoadFailure(error: error, response: response.withLock { $0 as? HTTPURLResponse })
        guard number < policy.attempts, !delivery.hasDelivered, !failure.isCancellation,
            request.httpBodyStream == nil, policy.methods.contains(request.httpMethod ?? "GET"),
            failure.status.map(policy.statuses.contains) ?? failure.isTransient
        else { return nil }
        if let asked = failure.retryAfter {
            guard asked <= policy.longestRetryAfter else { return nil }
            // If the host's rate limiter already waits, waiting here too would take twice as long.
            return failure.isHostHeld ? .zero : asked
        }
        return policy.longestPause(after: number) * min(max(loader.random(), 0), 1)
    }

    private func showResponse() {
        if let shown = response.withLock({ $0.take() }) { delivery.respond(shown) }
    }
}
