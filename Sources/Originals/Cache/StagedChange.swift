import Synchronization

/// The end of a change that was staged in a ``DataCache``.
package final class StagedChange: Sendable {
    private enum State {
        case waiting([CheckedContinuation<Result<Void, DataCacheError>, Never>])
        case ended(Result<Void, DataCacheError>)
    }

    private let state = Mutex(State.waiting([]))

    /// The result, once the change is durable or has failed.
    package var result: Result<Void, DataCacheError> {
        get async {
            if case .ended(let result) = state.withLock({ $0 }) { return result }
            return await withCheckedContinuation { continuation in
                let result: Result<Void, DataCacheError>? = state.withLock { state in
                    switch state {
                    case .waiting(let others):
                        state = .waiting(others + [continuation])
                        return nil
                    case .ended(let result): return result
                    }
                }
                if let result { continuation.resume(returning: result) }
            }
        }
    }

    func end(_ result: Result<Void, DataCacheError>) {
        let waiting: [CheckedContinuation<Result<Void, DataCacheError>, Never>] = state.withLock { state in
            defer { state = .ended(result) }
            if case .waiting(let waiting) = state { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }
}
