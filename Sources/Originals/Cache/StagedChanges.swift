import Files
import Foundation
import Synchronization

/// The requested changes of a cache that are not durable yet: a pure table, without I/O and without a lock of its own.
///
/// The last change of a key wins, and one that is replaced while it waits costs no write. `removeAll` drops the
/// changes before it and is carried out before those after it.
struct StagedChanges {
    /// The change of a key.
    enum Content: Sendable {
        /// Bytes to store; `file` holds the same ones and takes no memory.
        case store(Data, DataCache.Metadata, owner: String?, file: UnnamedFile? = nil)
        case remove

        /// The approximate memory of a change in addition to its bytes: its key, twice, and its table entries.
        private static let overhead = 512

        var amount: Amount {
            switch self {
            case .store(let data, _, _, nil): Amount(bytes: data.count + Self.overhead)
            case .store: Amount(bytes: Self.overhead, files: 1)
            case .remove: Amount(bytes: Self.overhead)
            }
        }
    }

    /// The memory and the open files of changes.
    struct Amount: Equatable {
        var bytes = 0
        var files = 0

        static func += (amount: inout Amount, other: Amount) {
            amount.bytes += other.bytes
            amount.files += other.files
        }

        static func -= (amount: inout Amount, other: Amount) {
            amount.bytes -= other.bytes
            amount.files -= other.files
        }
    }

    /// Work to be done now.
    enum Step: Sendable {
        case change(key: String, id: Int, Content)
        case removeAll(id: Int)
    }

    /// The result of a lookup here.
    enum Finding {
        case data(Data, DataCache.Metadata)
        case absent
        /// The disk knows.
        case unknown
    }

    /// Receives the result of the change it waits for, outside any lock.
    typealias Waiter = @Sendable (Result<Void, DataCacheError>) -> Void

    /// The amount of all changes that wait or are being written.
    private(set) var amount = Amount()

    private var changes: [String: (id: Int, content: Content)] = [:]
    private var removal: (id: Int, isRunning: Bool)?
    private var lastID = 0
    private var waitingKeys: ArraySlice<String> = []
    private var writing: [String: (id: Int, amount: Amount)] = [:]
    private var waiters: [String: [(id: Int, call: Waiter)]] = [:]
    private var removalWaiters: [(id: Int, call: Waiter)] = []

    /// Returns the change staged for `key`.
    func finding(for key: String) -> Finding {
        switch changes[key]?.content {
        case .store(let data, let metadata, _, _): .data(data, metadata)
        case .remove: .absent
        case nil: removal == nil ? .unknown : .absent
        }
    }

    /// Stages a change, replacing one that waits for the same key.
    mutating func add(_ content: Content, for key: String) {
        lastID += 1
        if let replaced = changes[key] {
            let isWriting = writing[key]?.id == replaced.id
            if !isWriting { amount -= replaced.content.amount }
        } else if writing[key] == nil {
            waitingKeys.append(key)
        }
        changes[key] = (lastID, content)
        amount += content.amount
    }

    /// Stages the removal of everything and answers with the waiters whose changes are dropped.
    mutating func removeAll() -> [(key: String, call: Waiter)] {
        lastID += 1
        removal = (lastID, false)
        for (key, change) in changes where writing[key]?.id != change.id { amount -= change.content.amount }
        defer { (changes, waitingKeys, waiters) = ([:], [], [:]) }
        return waiters.flatMap { key, list in list.map { (key, $0.call) } }
    }

    /// Returns the next step, if fewer than `limit` are running.
    mutating func next(limit: Int) -> Step? {
        if let removal {
            guard !removal.isRunning, writing.isEmpty else { return nil }
            self.removal = (removal.id, true)
            return .removeAll(id: removal.id)
        }
        guard writing.count < limit, let key = waitingKeys.popFirst(), let change = changes[key] else {
            return nil
        }
        writing[key] = (change.id, change.content.amount)
        return .change(key: key, id: change.id, change.content)
    }

    /// Ends the step that wrote the change `id` of `key`; a change made meanwhile takes its turn.
    /// - Returns: The waiters to call.
    mutating func finish(_ key: String, id: Int) -> [Waiter] {
        if let written = writing.removeValue(forKey: key) { amount -= written.amount }
        if let change = changes[key] {
            if change.id == id { changes[key] = nil } else { waitingKeys.append(key) }
        }
        let list = waiters[key] ?? []
        let later = list.filter { $0.id > id }
        waiters[key] = later.isEmpty ? nil : later
        return list.filter { $0.id <= id }.map(\.call)
    }

    /// Ends the removal of everything.
    /// - Returns: The waiters to call.
    mutating func finishRemoval(id: Int) -> [Waiter] {
        removal = removal.flatMap { $0.id == id ? nil : ($0.id, false) }
        defer { removalWaiters.removeAll { $0.id <= id } }
        return removalWaiters.filter { $0.id <= id }.map(\.call)
    }

    /// Notifies `waiter` when the change that is now staged for `key`, or a later one of the key, is done.
    /// - Returns: false if none is staged; the waiter is then not kept.
    mutating func wait(for key: String, _ waiter: @escaping Waiter) -> Bool {
        guard let change = changes[key] else { return false }
        waiters[key, default: []].append((change.id, waiter))
        return true
    }

    /// As `wait(for:)`, for the removal of everything.
    mutating func waitForRemoval(_ waiter: @escaping Waiter) -> Bool {
        guard let removal else { return false }
        removalWaiters.append((removal.id, waiter))
        return true
    }

    /// The keys with a staged change.
    var keys: [String] { Array(changes.keys) }
}

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
