import Files
import Foundation
import SQLite
import Synchronization

/// The state of one job: its items, what became of them, and what is left to do.
///
/// One process at a time has it open for writing; others read beside it with `JobReader`. May be used from any
/// thread. The functions that are not `async` block their thread: they belong before and after a run's work.
public final class JobStore: Sendable {
    /// The state's file.
    public let path: String
    /// Whether the last run ended without saying so: a crash, a kill or a power cut.
    public let endedUncleanly: Bool
    /// How many items that run held; they wait again, and it cost them no attempt.
    public let orphans: Int
    /// Answers questions about the job, with what this store has written so far.
    public let reader: JobReader

    let database: Database
    let runID = Mutex<Int64?>(nil)
    /// The host that was served last, so that each claim goes on where the one before stopped.
    let lastHost = Mutex<Int64>(0)
    private let lock: Mutex<FileLock?>

    /// Opens the state at `path` and holds the job until `close`.
    ///
    /// The folder (0700) and the file (0600) are made where they are missing. The lock beside the file, freed by the
    /// kernel however a process ends, proves that no other run is alive, so what one still holds is put back
    /// at once, without a time-out. After an unclean end the file is checked first, but a large one only where the machine
    /// went down with the run.
    /// With `fresh` a state that is there is forgotten.
    /// - Throws: `JobStoreError`.
    public init(path: String, fresh: Bool = false) throws(JobStoreError) {
        let file = StateFile(path: path)
        try file.prepareFolder()
        let lock = try file.lock()
        if fresh { try file.remove() }
        do {
            if !file.exists { try file.create() }
            try file.refuseEmpty()
            file.protect()
            let hasLog = file.hasLog
            let database = try Database(path: path) { try file.examine($0) }
            do {
                try database.readNow { connection in
                    try connection.migrate(Schema.migrations, applicationID: Schema.applicationID, path: path)
                    // 16 MiB: indexes of millions of items are changed at random places.
                    try connection.execute("PRAGMA cache_size=-16384")
                }
                let isUnclean = try hasLog || database.readNow { try Self.hasOpenRun($0) }
                let isQuick = file.byteCount <= Self.quicklyChecked
                try database.readNow { connection in
                    guard isUnclean, try isQuick || !Self.onlyProcessDied(connection) else { return }
                    try Self.check(connection, path: path)
                }
                orphans = try database.writeNow { connection in
                    try FirstPlanning.discard(connection)
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

    /// Ends the work on the state: the write-ahead log is emptied into the file and the job let go.
    public func close() {
        lock.withLock { lock in
            guard lock != nil else { return }
            database.close()
            lock = nil
        }
    }

    /// A reader of the state at `path` beside a run that may be going on, or nil if there is no state.
    /// - Throws: `JobStoreError`.
    public static func reader(path: String) throws(JobStoreError) -> JobReader? {
        try JobReader(path: path)
    }

    /// The manifest that was planned last, or nil if none was.
    /// - Throws: `JobStoreError`.
    public func revision() throws(JobStoreError) -> Revision? {
        try reader.revision()
    }

    /// What politeness has learned about hosts.
    /// - Throws: `JobStoreError`.
    public func hosts() throws(JobStoreError) -> [HostRecord] {
        try reader.hosts()
    }

    /// Runs `work` in a transaction that it shares with others, and returns after the commit.
    func write<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) async throws(JobStoreError) -> Result {
        do { return try await database.write(work) } catch { throw JobStoreError(error) }
    }

    /// As `write`, blocking the thread.
    func writeNow<Result: Sendable>(
        _ work: @escaping @Sendable (Connection) throws -> Result
    ) throws(JobStoreError) -> Result {
        do { return try database.writeNow(work) } catch { throw JobStoreError(error) }
    }

    /// The time in milliseconds since 1970.
    static var now: Int64 {
        Int64(Date().timeIntervalSince1970 * 1000)
    }

    /// Bytes of a state that is checked within half a second.
    private static let quicklyChecked = 64_000_000

    /// Whether the machine has been up since the runs began that never ended: the end of a process leaves what it had
    /// written with the system, and only the end of a machine can leave pages of a file half written.
    private static func onlyProcessDied(_ connection: Connection) throws -> Bool {
        let boots = try connection.statement("SELECT boot_id FROM run WHERE ended_ms IS NULL").rows {
            $0.text(0)
        }
        return !boots.isEmpty && boots.allSatisfy { $0 == bootID }
    }

    private static func hasOpenRun(_ connection: Connection) throws -> Bool {
        try connection.integer("SELECT EXISTS (SELECT 1 FROM run WHERE ended_ms IS NULL)") == 1
    }

    private static func check(_ connection: Connection, path: String) throws {
        let found = try connection.statement("PRAGMA quick_check(1)").first { $0.text(0) }
        guard found == "ok" else { throw JobStoreError.damaged(path: path, detail: found ?? "no answer") }
    }

    /// Puts back what dead runs hold and closes their rows; how many items that were.
    private static func recover(_ connection: Connection) throws -> Int {
        try connection.statement(putBack + "WHERE run_id IS NOT NULL").run(.integer(now))
        let orphans = connection.changes
        try connection.statement("UPDATE run SET ended_ms = ? WHERE ended_ms IS NULL").run(.integer(now))
        return orphans
    }

    /// What gives an item a new set of attempts, besides the time.
    static let release = """
        state = 'pending', attempts = 0, generation = generation + 1, error = NULL, message = NULL
        """

    /// Gives held items back as they were; the parameter is the time.
    static let putBack = """
        UPDATE item SET attempts = attempts - (state = 'running'), run_id = NULL, updated_ms = ?1,
            state = CASE state WHEN 'running' THEN 'pending' ELSE state END\u{20}
        """
}
