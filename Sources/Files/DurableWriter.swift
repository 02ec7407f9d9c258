public import Foundation
import Synchronization

/// Writes files atomically and durably: under its name, a file is complete or absent, even after a power failure.
///
/// Each file is written without a name (`O_TMPFILE`), synced, and then linked under its name. If the name is taken, the
/// file is linked under a temporary name, in a `StagingFolder` if there is one, and renamed. The folder is synced last.
/// Files that arrive during a sync form the next batch and share its syncs. A caller waits without blocking a thread; the
/// work runs on the writer's own threads.
public final class DurableWriter: Sendable {
    private let queue = WriteQueue()
    private let fileSystem = FileSystemSync()

    /// Starts the writer with `threads` threads, which only wait for the disk.
    ///
    /// If files are synced one by one, concurrent syncs share the flushes of the disk's cache and the commits of the
    /// file system's journal: sixteen threads write small files four times as fast as two. A file waits up to `delay`
    /// seconds for others to share its syncs. With fewer threads than wanted it is slower; without any, every write
    /// fails with the reason.
    public init(threads: Int = 16, delay: Double = 0.005) {
        for number in 0..<ProcessLimits.descriptors(atMost: threads) {
            do throws(FileError) {
                try SystemThread.start("durable-\(number)") { [queue, fileSystem] in
                    while let batch = queue.take(delay: delay) {
                        Self.write(batch, of: queue, fileSystem: fileSystem)
                    }
                }
            } catch {
                if number == 0 { queue.refuse(error) }
                return
            }
        }
    }

    deinit {
        queue.stop()
    }

    /// Writes `payload` to `name` below `folder`, creates missing folders and replaces an existing file.
    ///
    /// A process that is killed while it replaces a file leaves a temporary name: in `staging` if that is given, otherwise
    /// beside the file.
    ///
    /// The bytes of `source`, if it is given, are shared where its file system allows that, and `payload` is written
    /// elsewhere.
    ///
    /// On return, the file, its name and the created folders are durable.
    /// - Throws: `FileError`. The name then has its old content or none, never part of the new content.
    public func write(
        _ payload: Payload,
        sharing source: DurableFile? = nil,
        to name: String,
        in folder: Folder,
        staging: StagingFolder? = nil
    ) async throws(FileError) {
        let result = await withCheckedContinuation { continuation in
            submit(payload, sharing: source, to: name, in: folder, staging: staging) {
                continuation.resume(returning: $0)
            }
        }
        try result.get()
    }

    /// As `write`, but calls `completion` on a thread of the writer, exactly once.
    ///
    /// Unless it `replaces`, it fails with `EEXIST` if the name is taken. A `file` that holds `payload` is given the name
    /// itself if it has none yet and its file system allows that; the bytes are then not written again. Those of `source`
    /// are shared as `write` does.
    public func submit(
        _ payload: Payload,
        file: UnnamedFile? = nil,
        sharing source: DurableFile? = nil,
        to name: String,
        in folder: Folder,
        staging: StagingFolder? = nil,
        replaces: Bool = true,
        completion: @escaping @Sendable (Result<Void, FileError>) -> Void
    ) {
        queue.add(
            WriteJob(
                payload: payload,
                file: file,
                source: source,
                name: name,
                folder: folder,
                staging: staging,
                replaces: replaces,
                completion: completion
            )
        )
    }

    /// Writes `data` as a payload.
    /// - Throws: As for a payload.
    public func write(
        _ data: Data,
        sharing source: DurableFile? = nil,
        to name: String,
        in folder: Folder,
        staging: StagingFolder? = nil
    ) async throws(FileError) {
        try await write(Payload(data), sharing: source, to: name, in: folder, staging: staging)
    }

    /// Writes a batch in four passes, because a sync covers all files written before it.
    ///
    /// The turn to take the next batch is kept while the whole file system is synced: another such sync at the same
    /// time would repeat the work. Syncs of single files run concurrently.
    private static func write(_ batch: [WriteJob], of queue: WriteQueue, fileSystem: FileSystemSync) {
        let isWhole = batch.first.map { fileSystem.suits(batch.count, in: $0.folder) } ?? false
        if !isWhole { queue.passTurn() }
        defer { if isWhole { queue.passTurn() } }
        var folders = ParentFolders()
        let files = batch.compactMap { job in
            attempt(job) { () throws(FileError) in
                let (parent, last) = try folders.parent(of: job.name, in: job.folder)
                return try NewFile(job, named: last, in: parent)
            }
        }
        let isSynced = isWhole && (files.allSatisfy(\.isDurable) || fileSystem.sync(files))
        let synced =
            isSynced
            ? files
            : files.compactMap { file in attempt(file.job) { () throws(FileError) in try file.sync() } }
        let named = synced.compactMap { file in attempt(file.job) { () throws(FileError) in try file.name() }
        }
        let areNamesSynced = isWhole && fileSystem.sync(named)
        var results: [ObjectIdentifier: Result<Void, FileError>] = [:]
        for file in named {
            let id = ObjectIdentifier(file.parent)
            let result =
                areNamesSynced
                ? .success(()) : results[id] ?? Result { () throws(FileError) in try file.parent.sync() }
            results[id] = result
            file.job.completion(result)
        }
    }

    /// Returns the result of `work`, or reports its error to the job and returns nil.
    private static func attempt(_ job: WriteJob, _ work: () throws(FileError) -> NewFile) -> NewFile? {
        do throws(FileError) {
            return try work()
        } catch {
            job.completion(.failure(error))
            return nil
        }
    }
}

/// The parent folders of a batch's files, each opened once.
private struct ParentFolders {
    private struct Key: Hashable {
        let folder: ObjectIdentifier
        let path: String?
    }

    private var opened: [Key: Folder] = [:]

    /// The parent folder of `name`, created if missing, and the last component of `name`.
    mutating func parent(of name: String, in folder: Folder) throws(FileError) -> (Folder, last: String) {
        let (path, last) = Folder.split(name)
        let key = Key(folder: ObjectIdentifier(folder), path: path)
        if let parent = opened[key] { return (parent, last) }
        let parent = if let path { try folder.folder(path, create: true) } else { folder }
        opened[key] = parent
        return (parent, last)
    }
}

/// The jobs waiting to be written, shared by a writer's threads.
///
/// One thread at a time collects a batch.
final class WriteQueue: Sendable {
    /// The most files in a batch, each of which holds a descriptor; several threads may have one each.
    private static let batchSize = max(1, min(128, ProcessLimits.descriptors(atMost: 4096) / 16))

    private struct State {
        var jobs: [WriteJob] = []
        var isStopped = false
        /// The reason why no thread takes jobs.
        var trouble: FileError?

        mutating func takeBatch() -> [WriteJob] {
            var batch: [WriteJob] = []
            var rest: [WriteJob] = []
            for job in jobs {
                let isOfIt = batch.first.map { $0.folder.device == job.folder.device } ?? true
                if isOfIt, batch.count < WriteQueue.batchSize { batch.append(job) } else { rest.append(job) }
            }
            jobs = rest
            return batch
        }
    }

    private let state = Mutex(State())
    /// Signalled for the first job, for a full batch, and when the queue stops.
    private let arrivals = TimedSemaphore()
    /// The turn to collect a batch.
    private let turn = DispatchSemaphore(value: 1)

    func add(_ job: WriteJob) {
        let (count, trouble) = state.withLock { state -> (Int, FileError?) in
            if state.trouble == nil { state.jobs.append(job) }
            return (state.jobs.count, state.trouble)
        }
        if let trouble { return job.completion(.failure(trouble)) }
        if count == 1 || count == Self.batchSize { arrivals.signal() }
    }

    /// Makes all later jobs fail with `trouble`, since there is no thread for them.
    func refuse(_ trouble: FileError) {
        state.withLock { $0.trouble = trouble }
    }

    /// Ends the threads after all added jobs are written.
    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    /// Waits for the turn, then for jobs, then up to `delay` seconds for more.
    ///
    /// Nil if the queue is stopped and empty.
    ///
    /// All files of a batch are on one file system, so that one sync can cover it. The thread that gets a batch keeps
    /// the turn until `passTurn`. A signal is only a hint: the queue may be empty after it.
    func take(delay: Double) -> [WriteJob]? {
        turn.wait()
        while true {
            arrivals.wait()
            let deadline = ContinuousClock.now + .seconds(delay)
            while state.withLock({ !$0.isStopped && !$0.jobs.isEmpty && $0.jobs.count < Self.batchSize }) {
                guard arrivals.wait(seconds: (deadline - .now) / .seconds(1)) else { break }
            }
            let (batch, isLeft, isStopped): ([WriteJob], Bool, Bool) = state.withLock { state in
                (state.takeBatch(), !state.jobs.isEmpty, state.isStopped)
            }
            // The remaining jobs are for the next thread, and every thread must see the stop.
            if isLeft || isStopped { arrivals.signal() }
            if !batch.isEmpty { return batch }
            if isStopped {
                passTurn()
                return nil
            }
        }
    }

    /// Allows the next thread to collect a batch.
    func passTurn() {
        turn.signal()
    }
}
