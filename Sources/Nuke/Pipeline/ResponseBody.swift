import Foundation
import FoundationNetworking
import Synchronization

/// The body of one response as it comes in, up to a limit.
final class ResponseBody: Sendable {
    /// More is not reserved on the word of a header field alone.
    private static let largestReservation = 16 * 1024 * 1024

    private struct State {
        var data = Data()
        var response: URLResponse?
        var continuation: CheckedContinuation<LoadedData, any Error>?
        var load: (any Cancellable)?
        var isOver = false
    }

    private let limit: Int
    private let state = Mutex(State())

    /// Refuses more than `limit` bytes; nil for no limit.
    init(limit: Int?) {
        self.limit = limit ?? .max
    }

    /// Starts a load that calls `append` and `end`, and waits for its end.
    /// - Throws: the error that the load ended with, `dataDownloadExceededMaximumSize`, or `CancellationError`.
    func receive(_ start: () -> any Cancellable) async throws -> LoadedData {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.continuation = continuation }
                    return state.isOver
                }
                guard !isOver else { return continuation.resume(throwing: CancellationError()) }
                let load = start()
                let isOverNow = state.withLock { state in
                    if !state.isOver { state.load = load }
                    return state.isOver
                }
                if isOverNow { load.cancel() }
            }
        } onCancel: {
            finish(CancellationError())
        }
    }

    /// Takes the next chunk.
    func append(_ chunk: Data, _ response: URLResponse) {
        let isTooLarge = state.withLock { state in
            guard !state.isOver else { return false }
            if state.response == nil {
                state.response = response
                guard response.expectedContentLength <= limit else { return true }
                let length = Int(clamping: response.expectedContentLength)
                if length > chunk.count { state.data.reserveCapacity(min(length, Self.largestReservation)) }
            }
            if state.data.isEmpty, Int(clamping: response.expectedContentLength) <= chunk.count {
                state.data = chunk
            } else {
                state.data.append(chunk)
            }
            return state.data.count > limit
        }
        if isTooLarge { finish(ImagePipeline.Error.dataDownloadExceededMaximumSize) }
    }

    /// Takes the end.
    func end(_ error: (any Error)?) {
        finish(error, isByLoader: true)
    }

    private func finish(_ error: (any Error)?, isByLoader: Bool = false) {
        let (continuation, load, loaded) = state.withLock { state in
            state.isOver = true
            defer { (state.continuation, state.load, state.data) = (nil, nil, Data()) }
            return (
                state.continuation, state.load,
                LoadedData(data: state.data, response: state.response, isStorable: true)
            )
        }
        if !isByLoader { load?.cancel() }
        if let error {
            continuation?.resume(throwing: error)
        } else {
            continuation?.resume(returning: loaded)
        }
    }
}
