import CFiles

/// A thread of the operating system whose start can fail.
///
/// Foundation's `Thread` ignores that failure, and whoever waits for its work waits forever.
public enum SystemThread {
    /// Starts a thread called `name`, of which the system keeps 15 bytes, that runs `body` and ends.
    /// - Throws: `FileError` if the system has no room for another thread.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(FileError) {
        let work = Unmanaged.passRetained(Work(body))
        let error = nb_start_thread(
            name,
            { argument in
                guard let argument else { return }
                Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
            },
            work.toOpaque()
        )
        guard error != 0 else { return }
        work.release()
        throw FileError("start", "the thread \(name)", code: error)
    }

    /// Runs `body`, which may block, on a thread of its own called `name`.
    /// - Returns: The result of `body`.
    /// - Throws: `FileError` if the system has no room for another thread; what `body` throws.
    public static func run<Value: Sendable>(
        _ name: String,
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            do throws(FileError) {
                try start(name) { continuation.resume(with: Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
        }
    }
}

private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }
}
