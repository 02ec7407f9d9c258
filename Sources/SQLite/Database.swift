import Files
import Foundation
import Synchronization

/// A database on its own thread.
///
/// Callers submit work and wait without blocking a thread.
///
/// Changes share transactions (group commit): changes that arrive during a commit go into the next one, so a thousand
/// small changes cost a handful of syncs. A change is acknowledged only after its commit. Work runs in order of
/// arrival.
public final class Database: Sendable {
    private let inbox = WorkInbox()
    private let ended = DispatchSemaphore(value: 0)

    /// Opens the database at `path` and runs `prepare` (such as migrations) on its thread before any other work.
    ///
    /// `finish` runs after all other work. A change waits up to `delay` seconds for others to share its commit. If
    /// several processes share the file, `exclusively` wraps everything that may write or checkpoint: opening, each
    /// batch of work, and closing. If it cannot get exclusive access, it throws without running its argument.
    /// - Throws: `SQLiteError`, or the error of `prepare` or `exclusively`.
    public init(
        path: String,
        mode: Connection.Mode = .readWrite,
        delay: Double = 0.004,
        prepare: @escaping @Sendable (Connection) throws -> Void = { _ in },
        finish: @escaping @Sendable (Connection) throws -> Void = { _ in },
        exclusively: @escaping @Sendable (() throws -> Void) throws -> Void = { try $0() }
    ) throws {
        let opened = Reply<Void>()
        try SystemThread.start("database") { [inbox, ended] in
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
                if let error { for work in batch { work.fail(error) } }
            }
            try? exclusively {
                if let connection, mode == .readWrite {
                    try? finish(connection)
                    // Leaves a single file behind. A log that cannot be emptied now is read at the next opening.
                    try? connection.emptyLog()
                }
                connection = nil
            }
        }
        try opened.wait()
    }

    deinit {
        inbox.stop()
    }

    /// As `close`, but fails if the write-ahead log cannot be emptied: without an error the file is whole without it, and may
    /// be renamed.
    /// - Throws: `SQLiteError`, as on a full disk. The database is closed also then.
    public func closeWhole() throws {
        defer { close() }
        try readNow { try $0.emptyLog() }
    }

    /// Runs all submitted work, checkpoints the write-ahead log and closes the database.
    ///
    /// Blocks. Call it last. A log that cannot be emptied stays beside the file, and is read at the next opening.
    public func close() {
        inbox.stop()
        ended.wait()
        ended.signal()
    }

    /// Runs `work` in a transaction shared with other changes, and returns after the commit.
    ///
    /// `work` may run a second time, alone, if another change of the same transaction failed, so it must have no
    /// effects outside the database.
    /// - Throws: The error of `work`, whose changes are then rolled back, or the `SQLiteError` of the commit.
    public func write<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            add(isChange: true, isUrgent: false, work) { continuation.resume(with: $0) }
        }
    }

    /// Runs `work`, which only reads, after the changes that were submitted before it.
    /// - Throws: The error of `work`.
    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            add(isChange: false, isUrgent: true, work) { continuation.resume(with: $0) }
        }
    }

    /// As `write`, but calls `completion` on the database's thread, exactly once.
    ///
    /// A change that is urgent does not wait for others to share the commit.
    public func write<Result: Sendable>(
        isUrgent: Bool = false,
        _ work: @escaping @Sendable (Connection) throws -> Result,
        completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        add(isChange: true, isUrgent: isUrgent, work, answer: completion)
    }

    /// As `read`, but calls `completion` on the database's thread, exactly once.
    public func read<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result,
        completion: @escaping @Sendable (Swift.Result<Result, any Error>) -> Void
    ) {
        add(isChange: false, isUrgent: true, work, answer: completion)
    }

    /// As `write`, but blocks the calling thread and does not wait for others to share the commit.
    /// - Throws: As `write`.
    public func writeNow<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) throws -> Result {
        let reply = Reply<Result>()
        add(isChange: true, isUrgent: true, work) { reply.send($0) }
        return try reply.wait()
    }

    /// As `read`, but blocks the calling thread.
    /// - Throws: As `read`.
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
        let accepted = inbox.add(
            Work(isChange: isChange, isUrgent: isUrgent) { connection in
                let output = try work(connection)
                return { answer(.success(output)) }
            } fail: {
                answer(.failure($0))
            }
        )
        if !accepted { answer(.failure(DatabaseClosed())) }
    }

    private static func perform(_ batch: [Work], on connection: Connection) {
        var remaining = batch[...]
        while let first = remaining.first {
            guard first.isChange else {
                perform(first) { try first.run(connection) }
                remaining.removeFirst()
                continue
            }
            let changes = remaining.prefix { $0.isChange }
            remaining.removeFirst(changes.count)
            do {
                let answers = try connection.transaction { try changes.map { try $0.run(connection) } }
                for answer in answers { answer() }
            } catch {
                guard changes.count > 1 else {
                    first.fail(error)
                    continue
                }
                // One failing change must not roll back the others.
                for change in changes {
                    perform(change) { try connection.transaction { try change.run(connection) } }
                }
            }
        }
    }

    /// Answers with what `run` returns, or with its error.
    private static func perform(_ work: Work, run: () throws -> Work.Answer) {
        do { try run()() } catch { work.fail(error) }
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

/// The result of one unit of work, for a thread that waits for it.
private final class Reply<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>>(.failure(DatabaseClosed()))
    private let arrived = DispatchSemaphore(value: 0)

    func send(_ result: Result<Value, any Error>) {
        self.result.withLock { $0 = result }
        arrived.signal()
    }

    func wait() throws -> Value {
        arrived.wait()
        return try result.withLock { $0 }.get()
    }
}

/// One unit of work on its way to the database's thread.
///
/// It knows no type of result: what is generic costs a look for its metadata at each use.
struct Work: Sendable {
    /// Gives the result to who waits for it.
    typealias Answer = @Sendable () -> Void

    let isChange: Bool
    let isUrgent: Bool
    /// Returns what gives the result once it is durable.
    let run: @Sendable (Connection) throws -> Answer
    let fail: @Sendable (any Error) -> Void
}

/// The queue of work for the database's thread.
final class WorkInbox: Sendable {
    /// The most changes in one transaction.
    private static let batchSize = 256

    private struct State {
        var works: [Work] = []
        var urgent = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    /// Signalled for the first work, for urgent work, for a full batch, and when the queue stops.
    private let arrivals = TimedSemaphore()

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

    /// Waits for work, then up to `delay` seconds for more unless some is urgent.
    ///
    /// Nil after the end.
    func take(delay: Double) -> [Work]? {
        arrivals.wait()
        let deadline = ContinuousClock.now + .seconds(delay)
        while state.withLock({ $0.urgent == 0 && !$0.isStopped && $0.works.count < Self.batchSize }) {
            guard arrivals.wait(seconds: (deadline - .now) / .seconds(1)) else { break }
        }
        let (batch, isStopped) = state.withLock { state in
            defer { (state.works, state.urgent) = ([], 0) }
            return (state.works, state.isStopped)
        }
        // The signal of the end may have been consumed while waiting for more work.
        if isStopped { arrivals.signal() }
        // Signals of work that was taken early wake the thread with an empty list, which is harmless.
        return batch.isEmpty && isStopped ? nil : batch
    }
}
