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
    /// The body of an answer that succeeds has at most `limit` bytes: a longer one is the error `tooLarge`. Of another answer
    /// no more is kept than the document of an error needs. A request that a kept connection swallowed is sent once more on a new
    /// one if its method is idempotent (RFC 9112, section 9.3.1). A cancelled task cancels the transfer.
    func collect(_ request: TransferRequest, limit: Int) async -> CollectedTransfer {
        let result = await collectOnce(request, limit)
        guard result.error?.isConnectionStale == true, !request.usesNewConnection, request.method != "POST"
        else { return result }
        var request = request
        request.usesNewConnection = true
        return await collectOnce(request, limit)
    }

    private func collectOnce(_ request: TransferRequest, _ limit: Int) async -> CollectedTransfer {
        let collector = Collector(limit: limit)
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

private final class Collector: TransferDelegate {
    /// The most bytes that are kept of an answer that did not succeed; documents of errors have some hundreds.
    static let errorLimit = 64 << 10

    private struct State {
        var result = CollectedTransfer()
        var transfer: Transfer?
        var isCancelled = false
        /// True if the answer has more bytes than may be kept.
        var isOver = false
        var continuation: CheckedContinuation<CollectedTransfer, Never>?
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = limit
    }

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
        let transfer = state.withLock { state -> Transfer? in
            let isSuccess = state.result.head?.isSuccess ?? false
            let room = (isSuccess ? limit : Self.errorLimit) - state.result.body.count
            guard chunk.count > room else {
                state.result.body.append(chunk)
                return nil
            }
            state.result.body.append(chunk.prefix(room))
            (state.isOver, state.isCancelled) = (true, true)
            return state.transfer
        }
        transfer?.cancel()
    }

    func transferDidEnd(_ metrics: TransferMetrics, error: TransportError?) {
        let (continuation, result) = state.withLock { state in
            (state.result.error, state.result.metrics) = (error, metrics)
            if state.isOver {
                let isSuccess = state.result.head?.isSuccess ?? false
                state.result.error =
                    isSuccess ? TransportError(.tooLarge, "the answer has more than \(limit) bytes") : nil
            }
            return (state.continuation.take(), state.result)
        }
        continuation?.resume(returning: result)
    }
}
