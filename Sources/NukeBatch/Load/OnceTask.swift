import Synchronization

/// Work that is done once, for whoever asks first; all others wait for its end.
///
/// May be used from any thread.
final class OnceTask: Sendable {
    private let work: @Sendable () async -> Void
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = work
    }

    /// Returns when the work is done.
    ///
    /// It is not cancelled with its callers.
    func perform() async {
        let task = task.withLock { task in
            let begun = task ?? Task(operation: work)
            task = begun
            return begun
        }
        await task.value
    }
}
