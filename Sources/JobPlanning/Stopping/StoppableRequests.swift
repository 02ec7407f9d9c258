import Synchronization

/// The requests of a run to an object store, which end soon after the run was stopped.
///
/// Those under way have a moment to end, since what they write need not be written again; then they are cancelled.
package final class StoppableRequests: Sendable {
    /// The time that requests have after a stop: a run ends within five seconds.
    private static let grace: Duration = .seconds(1)

    private struct State {
        var isClosed = false
        var number = 0
        var cancellations: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Creates the requests of a run that goes on.
    package init() {}

    /// Runs `body`, which is cancelled when the time after a stop is over.
    /// - Throws: The error of `body`, which finds its task cancelled if it is too late to begin.
    package func perform<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let task = Task { () async -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        let number = state.withLock { state -> Int? in
            guard !state.isClosed else { return nil }
            state.number += 1
            state.cancellations[state.number] = { task.cancel() }
            return state.number
        }
        if number == nil { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if let number { state.withLock { _ = $0.cancellations.removeValue(forKey: number) } }
        return try result.get()
    }

    /// Cancels all requests after a moment, and those that come later at once.
    package func stop() {
        Task {
            try? await Task.sleep(for: Self.grace)
            let cancellations = state.withLock { state in
                state.isClosed = true
                return Array(state.cancellations.values)
            }
            for cancel in cancellations { cancel() }
        }
    }
}
