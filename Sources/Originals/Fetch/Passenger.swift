import Synchronization

/// Somebody who waits for a download.
final class Passenger: Sendable {
    private enum State {
        case waiting(CheckedContinuation<LoadedData, any Error>?)
        case ended(Result<LoadedData, any Error>)
    }

    let request: FetchRequest
    private let state = Mutex(State.waiting(nil))

    init(_ request: FetchRequest) {
        self.request = request
    }

    /// The bytes; waits for them, once.
    var result: LoadedData {
        get async throws {
            try await withCheckedThrowingContinuation { continuation in
                let ended: Result<LoadedData, any Error>? = state.withLock { state in
                    if case .ended(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let ended { continuation.resume(with: ended) }
            }
        }
    }

    /// Ends the waiting; only the first call counts.
    func end(_ result: Result<LoadedData, any Error>) {
        let continuation: CheckedContinuation<LoadedData, any Error>? = state.withLock { state in
            guard case .waiting(let continuation) = state else { return nil }
            state = .ended(result)
            return continuation
        }
        continuation?.resume(with: result)
    }
}
