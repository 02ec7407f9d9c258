import Foundation
import Synchronization

/// A database on a thread of its own: callers hand it work and wait without holding a thread.
///
/// Changes share transactions (group commit): what arrives while one commit is being synced goes into the next,
/// so a thousand small changes cost a handful of syncs. A change is acknowledged only after its commit.
/// Work is done in the order of its arrival.
public final class Database: Sendable {
    private let inbox = WorkInbox()
    private let ended = DispatchSemaphore(value: 0)

    /// Opens the database at `path` and runs `prepare` (migrations, say) on its thread before anything else.
    ///
    /// `finish` is run after everything else. A change waits up to `delay` seconds for others to share its commit.
    /// Where processes share the file, `exclusively` is called around all that may write or checkpoint: the opening,
    /// each batch of work, the closing. It throws, without running what it is given, if it cannot.
    /// - Throws: `SQLiteError`, or what `prepare` or `exclusively` throws.
    public init(
        path: String,
        mode: Connection.Mode = .readWrite,
        delay: Double = 0.004,
        prepare: @escaping @Sendable (Connection) throws -> Void = { _ in },
        finish: @escaping @Sendable (Connection) throws -> Void = { _ in },
        exclusively: @escaping @Sendable (() throws -> Void) throws -> Void = { try $0() }
    ) throws {
        let opened = Reply<Void>()
        let thread = Thread { [inbox, ended] in
            defer { ended.signal() }
            var connection: Connection?
            do {
                try exclusively {
                    let made = try Connection(path: path, mode: mode)
                    try prepare(made)
                    connection = made
                }
                opened.send(.success(()))
            } catch {
                connection = nil
                opened.send(.failure(error))
                return
            }
            while let connection, let batch = inbox.take(delay: delay) {
                let error = Self.failure { try exclusively { Self.perform(batch, on: connection) } }
                if let error { for work in batch { work.finish(error) } }
            }
            try? exclusively {
                if let connection, mode == .readWrite {
                    try? finish(connection)
                    // Leaves one file behind; a log that cannot be emptied now is read at the next opening.
                    try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                }
                connection = nil
            }
        }
        thread.name = "database"
        thread.start()
        try opened.wait()
    }

    deinit {
        inbox.stop()
    }

    /// Does what was handed in, empties the write-ahead log into the database and closes it.
    ///
    /// Blocks; call it last.
    public func close() {
        inbox.stop()
        ended.wait()
        ended.signal()
    }

    /// Runs `work` in a transaction, shared with other changes, and returns after the commit.
    ///
    /// `work` may be run a second time, alone, if another change of the same transaction failed; it must have no effect
    /// outside the database.
    /// - Throws: what `work` throws, with nothing of it kept, or the `SQLiteError` of the commit.
    public func write<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            add(isChange: true, isUrgent: false, work) { continuation.resume(with: $0) }
        }
    }

    /// Runs `work`, which only reads, after the changes that were handed in before it.
    /// - Throws: what `work` throws.
    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            add(isChange: false, isUrgent: true, work) { continuation.resume(with: $0) }
        }
    }

    /// As `write`, but calls `completion` on the database's thread, exactly once.
    public func write<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result,
        completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        add(isChange: true, isUrgent: false, work, answer: completion)
    }

    /// As `read`, but calls `completion` on the database's thread, exactly once.
    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result,
        completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        add(isChange: false, isUrgent: true, work, answer: completion)
    }

    /// As `write`, but blocks the calling thread and does not wait for others to share the commit.
    /// - Throws: as `write`.
    public func writeNow<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) throws -> Result {
        let reply = Reply<Result>()
        add(isChange: true, isUrgent: true, work) { reply.send($0) }
        return try reply.wait()
    }

    /// As `read`, but blocks the calling thread.
    /// - Throws: as `read`.
    public func readNow<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) throws -> Result {
        let reply = Reply<Result>()
        add(isChange: false, isUrgent: true, work) { reply.send($0) }
        return try reply.wait()
    }

    private func add<Output: Sendable>(
        isChange: Bool,
        isUrgent: Bool,
        _ work: @escaping @Sendable (Connection) throws -> Output,
        answer: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        let output = Reply<Output>()
        let accepted = inbox.add(
            Work(
                isChange: isChange,
                isUrgent: isUrgent,
                run: { output.set(.success(try work($0))) },
                finish: { error in answer(error.map { .failure($0) } ?? output.value) }
            )
        )
        if !accepted { answer(.failure(DatabaseClosed())) }
    }

    private static func perform(_ batch: [Work], on connection: Connection) {
        var remaining = batch[...]
        while let first = remaining.first {
            guard first.isChange else {
                first.finish(failure { try first.run(connection) })
                remaining.removeFirst()
                continue
            }
            let changes = remaining.prefix { $0.isChange }
            remaining.removeFirst(changes.count)
            let error = failure {
                try connection.transaction { for change in changes { try change.run(connection) } }
            }
            if error == nil || changes.count == 1 {
                for change in changes { change.finish(error) }
                continue
            }
            // One bad change must not take the others with it.
            for change in changes {
                change.finish(failure { try connection.transaction { try change.run(connection) } })
            }
        }
    }

    private static func failure(of body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }
}

/// The answer to work that was handed to a database after it was closed.
public struct DatabaseClosed: Error, CustomStringConvertible {
    /// One sentence.
    public let description = "the database is closed"

    /// The answer.
    public init() {}
}

/// A piece of work on its way to the database's thread.
private struct Work: Sendable {
    let isChange: Bool
    let isUrgent: Bool
    let run: @Sendable (Connection) throws -> Void
    let finish: @Sendable ((any Error)?) -> Void
}

/// What waits for the database's thread.
private final class WorkInbox: Sendable {
    /// The most changes that share a transaction.
    private static let batchSize = 256

    private struct State {
        var works: [Work] = []
        var urgent = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    /// Signalled for the first work, for urgent work, for a full batch, and for the end.
    private let arrivals = DispatchSemaphore(value: 0)

    func add(_ work: Work) -> Bool {
        let (isAccepted, isAwaited) = state.withLock { state in
            guard !state.isStopped else { return (false, false) }
            state.works.append(work)
            if work.isUrgent { state.urgent += 1 }
            return (true, work.isUrgent || state.works.count == 1 || state.works.count == Self.batchSize)
        }
        if isAwaited { arrivals.signal() }
        return isAccepted
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    /// Waits for work, then up to `delay` seconds for more unless some is urgent; nil after the end.
    func take(delay: Double) -> [Work]? {
        arrivals.wait()
        let deadline = DispatchTime.now() + delay
        while state.withLock({ $0.urgent == 0 && !$0.isStopped && $0.works.count < Self.batchSize }) {
            guard arrivals.wait(timeout: deadline) == .success else { break }
        }
        let (batch, isStopped) = state.withLock { state in
            defer { (state.works, state.urgent) = ([], 0) }
            return (state.works, state.isStopped)
        }
        // The signal of the end may have been taken while waiting for more work.
        if isStopped { arrivals.signal() }
        // Signals of works that were taken early wake the thread to an empty list, which does no harm.
        return batch.isEmpty && isStopped ? nil : batch
    }
}

/// The outcome of one piece of work, for a thread that waits for it.
private final class Reply<Value: Sendable>: Sendable {
    private let outcome = Mutex<Result<Value, any Error>>(.failure(DatabaseClosed()))
    private let arrived = DispatchSemaphore(value: 0)

    var value: Result<Value, any Error> {
        outcome.withLock { $0 }
    }

    func set(_ result: Result<Value, any Error>) {
        outcome.withLock { $0 = result }
    }

    func send(_ result: Result<Value, any Error>) {
        set(result)
        arrived.signal()
    }

    func wait() throws -> Value {
        arrived.wait()
        return try value.get()
    }
}
