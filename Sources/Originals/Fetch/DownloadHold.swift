import Synchronization

/// Counts the downloads of a pipeline that are in memory, and those that are complete and not yet stored.
///
/// Its methods are called on any thread and must not block.
package protocol DownloadAccounting: AnyObject, Sendable {
    /// Counts `bytes` more in memory, or fewer if negative.
    /// - Returns: False if all together exceed the limit: the download then goes on in a file, where that is possible.
    func count(bytes: Int) -> Bool
    /// Counts complete downloads: one more before the slot of its transfer is free, one less when nobody holds it.
    func count(complete: Int)
}

/// One download in the accounts, until its last reference is released.
package final class DownloadHold: Sendable {
    private let accounting: any DownloadAccounting
    private let state = Mutex((bytes: 0, isComplete: false))

    init(_ accounting: any DownloadAccounting) {
        self.accounting = accounting
    }

    deinit {
        let (bytes, isComplete) = state.withLock { $0 }
        if bytes > 0 { _ = accounting.count(bytes: -bytes) }
        if isComplete { accounting.count(complete: -1) }
    }

    /// Counts all bytes of the body in memory, those to come included; false if the limit is exceeded.
    func hold(_ bytes: Int) -> Bool {
        let change = state.withLock { state in
            defer { state.bytes = bytes }
            return bytes - state.bytes
        }
        return change == 0 || accounting.count(bytes: change)
    }

    /// Counts the download as complete.
    func complete() {
        let isNew = state.withLock { state in
            defer { state.isComplete = true }
            return !state.isComplete
        }
        if isNew { accounting.count(complete: 1) }
    }
}
