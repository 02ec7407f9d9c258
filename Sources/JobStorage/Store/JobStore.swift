import Files
import Foundation
import SQLite
import Synchronization

/// The state of one job: its items, their outcomes and the remaining work.
///
/// One process at a time has it open for writing; others can read it with `JobReader`. May be used from any thread.
/// The functions that are not `async` block their thread and are meant for before and after a run's work.
public final class JobStore: Sendable {
    /// The path of the state's file.
    public let path: String
    /// True if the last run ended without a record of its end: a crash, a kill or a power cut.
    public let endedUncleanly: Bool
    /// The number of items that such runs held; they are pending again and have spent no attempt.
    public let orphans: Int
    /// Reads the job, including everything that this store has written so far.
    public let reader: JobReader

    let database: Database
    /// Measures due times.
    let clock: StateClock
    let runID = Mutex<Int64?>(nil)
    /// The host of the last claim, after which the next claim continues.
    let lastHost = Mutex<Int64>(0)
    private let lock: Mutex<FileLock?>

    /// Opens the state at `path` and locks the job until `close`.
    ///
    /// A missing folder or file (0600) is created, `.nuke-batch` for the user alone (0700). The kernel frees the lock beside the file however a process ends.
    /// So the lock proves that no other run is alive, and items that a dead run held become pending at once, without a
    /// time-out. After an unclean end the file is checked first, but a large one only if the machine went down too.
    /// With `fresh`, an existing state is removed. `clock` measures when waiting items are due.
    /// - Throws: `JobStoreError`.
    public init(path: String, fresh: Bool = false, clock: StateClock = StateClock()) throws(JobStoreError) {
        self.clock = clock
        let file = StateFile(path: path)
        try file.prepareFolder()
        let lock = try file.lock()
        if fresh { try file.remove() }
        do {
            if try !file.exists { try file.create() }
            try file.refuseEmpty()
            file.protect()
            let hasLog = try file.hasLog
            let database = try Database(path: path) { try file.examine($0) }
            do {
                try database.readNow { connection in
                    try connection.migrate(Schema.migrations, applicationID: Schema.applicationID, path: path)
                    // 16 MiB, since updates touch random pages of the indexes of millions of items.
                    try connection.execute("PRAGMA cache_size=-16384")
                }
                let isUnclean = try hasLog || database.readNow { try Self.hasOpenRun($0) }
                let isQuick = try file.byteCount <= Self.quicklyChecked
                try database.readNow { connection in
                    guard isUnclean, try isQuick || !Self.onlyProcessDied(connection) else { return }
                    try Self.check(connection, path: path)
                }
                orphans = try database.writeNow { connection in
                    try WaitingIndexes.discardPlanning(connection)
                    return try Self.recover(connection)
                }
                endedUncleanly = isUnclean
            } catch {
                database.close()
                throw error
            }
            self.path = path
            self.database = database
            self.lock = Mutex(lock)
            reader = JobReader(database)
        } catch {
            throw JobStoreError(error)
        }
    }

    deinit {
        close()
    }

    /// Empties the write-ahead log into the file, closes it and unlocks the job.
    public func close() {
        lock.withLock { lock in
            guard lock != nil else { return }
            database.close()
            lock = nil
        }
    }

    /// Runs `work` in a transaction that is shared with other writes, and returns after the commit.
    func write<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws(JobStoreError) -> Result {
        do { return try await database.write(work) } catch { throw JobStoreError(error) }
    }

    /// Runs `work` like `write`, but blocks the thread.
    func writeNow<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) throws(JobStoreError) -> Result {
        do { return try database.writeNow(work) } catch { throw JobStoreError(error) }
    }

    /// The wall clock's time in milliseconds since 1970, for records of when something happened.
    static var now: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

    /// The largest size in bytes of a state that is checked within about half a second.
    private static let quicklyChecked = 64_000_000

    /// True if the machine has been up since the unfinished runs began.
    ///
    /// The system still has everything that a dead process wrote; only a machine that goes down leaves half-written pages.
    private static func onlyProcessDied(_ connection: Connection) throws -> Bool {
        let boots: [String] = try connection.statement("SELECT boot_id FROM run WHERE ended_ms IS NULL")
            .scalars()
        return !boots.isEmpty && boots.allSatisfy { $0 == bootID }
    }

    private static func hasOpenRun(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM run WHERE ended_ms IS NULL)") == 1
    }

    private static func check(_ connection: Connection, path: String) throws {
        let found: String? = try connection.statement("PRAGMA quick_check(1)").scalar()
        guard found == "ok" else { throw JobStoreError.damaged(path: path, detail: found ?? "no answer") }
    }

    /// Makes the items of dead runs pending and ends these runs.
    /// - Returns: The number of items.
    private static func recover(_ connection: Connection) throws -> Int {
        try putBack(connection)
        let orphans = connection.changes
        try connection.statement("UPDATE run SET ended_ms = ? WHERE ended_ms IS NULL").run(now)
        return orphans
    }

    /// Returns the assignments that give an item a new set of attempts, except the time.
    ///
    /// `reason` is an SQL expression for `item.requeued`, which can use the item's values before the change.
    static func release(because reason: String) -> String {
        """
        state = 'pending', attempts = 0, generation = generation + 1, error = NULL, message = NULL, requeued = \(reason)
        """
    }

    /// Makes the items that a run holds pending, those of all runs if it is nil, and refunds their attempts.
    static func putBack(heldBy run: Int64? = nil, _ connection: Connection) throws(SQLiteError) {
        try connection.statement(
            """
            UPDATE item SET state = 'pending', attempts = attempts - 1, run_id = NULL, updated_ms = ?1
            WHERE \(run == nil ? "run_id IS NOT NULL" : "run_id = ?2")
            """
        ).run(with: [now, run].compactMap(\.self))
    }
}
