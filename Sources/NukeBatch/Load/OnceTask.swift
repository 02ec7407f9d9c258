import Synchronization

/// Work that is done once, for whoever asks first; all others wait for its end.
///
/// May be used from any thread.
final class OnceTask<Value: Sendable>: Sendable {
    private let work: @Sendable () async -> Value
    private let task = Mutex<Task<Value, Never>?>(nil)

    init(_ work: @escaping @Sendable () async -> Value) {
        self.work = work
    }

    /// Returns the value of the work when it is done.
    ///
    /// It is not cancelled with its callers.
    @discardableResult
    func perform() async -> Value {
        let task = task.withLock { task in
            let begun = task ?? Task(operation: work)
            task = begun
            return begun
        }
        return await task.value
    }
}
