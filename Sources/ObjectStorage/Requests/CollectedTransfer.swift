import Foundation
import Synchronization
import Transport

/// The end of a transfer whose body was kept in memory.
struct CollectedTransfer: Sendable {
    var head: ResponseHead?
    var body = Data()
    var metrics = TransferMetrics()
    var error: TransportError?
}

extension Transport {
    /// Sends a request and returns its answer, with the body in memory.
    ///
    /// A request that a kept connection swallowed is sent once more on a new one if its method is idempotent (RFC 9112,
    /// section 9.3.1). A cancelled task cancels the transfer.
    func collect(_ request: TransferRequest) async -> CollectedTransfer {
        let result = await collectOnce(request)
        guard result.error?.isConnectionStale == true, !request.usesNewConnection, request.method != "POST"
        else {
            return result
        }
        var request = request
        request.usesNewConnection = true
        return await collectOnce(request)
    }

    private func collectOnce(_ request: TransferRequest) async -> CollectedTransfer {
        let collector = Collector()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                collector.wait(continuation)
                collector.started(start(request, delegate: collector))
            }
        } onCancel: {
            collector.cancel()
        }
    }
}

/// Collects the answer of a transfer.
private final class Collector: TransferDelegate {
    private struct State {
        var result = CollectedTransfer()
        var transfer: Transfer?
        var isCancelled = false
        var continuation: CheckedContinuation<CollectedTransfer, Never>?
    }

    private let state = Mutex(State())

    func wait(_ continuation: CheckedContinuation<CollectedTransfer, Never>) {
        state.withLock { $0.continuation = continuation }
    }

    func started(_ transfer: Transfer) {
        let isCancelled = state.withLock { state in
            state.transfer = transfer
            return state.isCancelled
        }
        if isCancelled { transfer.cancel() }
    }

    func cancel() {
        let transfer = state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
        transfer?.cancel()
    }

    func transferDidReceive(_ head: ResponseHead) -> BodyHandling {
        state.withLock { $0.result.head = head }
        return .deliver
    }

    func transferDidReceive(_ chunk: Data) {
        state.withLock { $0.result.body.append(chunk) }
    }

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        let (continuation, result) = state.withLock { state in
            (state.result.error, state.result.metrics) = (error, metrics)
            defer { state.continuation = nil }
            return (state.continuation, state.result)
        }
        continuation?.resume(returning: result)
    }
}
