import Foundation
import FoundationNetworking
import JobPlanning
import Originals
import Synchronization

/// Sends HEAD requests for originals, so that an edge cache on the way loads them.
final class EdgeWarming: Sendable {
    private struct State {
        var loads: [Int: any PrioritizedCancellable] = [:]
        var count = 0
        var isStopped = false
    }

    private let loader: CurlDataLoader
    private let slots: OperationQueue
    private let state = Mutex(State())

    /// Sends requests with `loader`, within the limit of `slots`.
    init(_ loader: CurlDataLoader, slots: OperationQueue) {
        self.loader = loader
        self.slots = slots
    }

    /// Sends `request` and returns when it has a response with a status from 200 to 299.
    /// - Throws: `DataLoadingError`, or `CancellationError` after `stop`.
    func ask(_ request: URLRequest, priority: Operation.QueuePriority) async throws {
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        defer { state.withLock { _ = $0.loads.removeValue(forKey: number) } }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            let sink = LoadSink(
                receive: { _, _ in },
                completion: { error in
                    if let error { continuation.resume(throwing: error) } else { continuation.resume() }
                }
            )
            let load = loader.load(request, priority: priority, slots: slots, prepare: nil, into: sink)
            let isStopped = state.withLock { state in
                state.loads[number] = load
                return state.isStopped
            }
            if isStopped { load.cancel() }
        }
    }

    /// Cancels active requests, and all later ones.
    func stop() {
        let loads = state.withLock { state in
            state.isStopped = true
            return Array(state.loads.values)
        }
        for load in loads { load.cancel() }
    }
}

extension OriginalLoader {
    /// Sends a HEAD request, so that the edge loads the original; nothing is kept here.
    func head(_ request: URLRequest, _ priority: Operation.QueuePriority) async throws -> Original {
        guard !isOffline else { throw ItemError(.offline, "network access is disabled (--offline)") }
        var request = request
        request.httpMethod = "HEAD"
        try await warming.ask(request, priority: priority)
        return Original(
            data: Data(),
            sha256: "",
            source: .network,
            isLengthProven: true,
            reservation: backpressure.enter(0)
        )
    }
}
