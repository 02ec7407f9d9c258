import CFiles
public import Foundation
import Synchronization

/// Writes files so that each is complete under its name or not there at all, and still there after the power was cut.
///
/// A file is written without a name (`O_TMPFILE`), synced, and only then linked under its name; where the name
/// is taken it is linked beside it and renamed over it. The folder is synced last, once for all files that a
/// batch put into it. A caller waits without holding a thread: the work is done on threads of the writer's own.
public final class DurableWriter: Sendable {
    private let inbox = Inbox()

    /// Starts the writer with so many threads, which do nothing but wait for the disk.
    ///
    /// Syncs that run at the same time share the flushes of the disk's cache and the commits of the file system's
    /// journal: sixteen threads write small files four times as fast as two. A file waits up to `delay` seconds for
    /// others to share its syncs.
    public init(threads: Int = 16, delay: Double = 0.005) {
        for number in 0..<threads {
            let thread = Thread { [inbox] in
                while let batch = inbox.take(delay: delay) { Self.write(batch) }
            }
            thread.name = "durable-writer-\(number)"
            thread.start()
        }
    }

    deinit {
        inbox.stop()
    }

    /// Writes `data` to `name` below `folder`, making the folders between and replacing what stood there.
    ///
    /// On return the file, its name and the folders that were made are durable.
    /// - Throws: `FileError`; the name then has its old content or none, never a part of the new.
    public func write(_ data: Data, to name: String, in folder: Folder) async throws(FileError) {
        let result = await withCheckedContinuation { continuation in
            submit(data, to: name, in: folder) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// As `write`, but calls `completion` on a thread of the writer, exactly once.
    public func submit(
        _ data: Data,
        to name: String,
        in folder: Folder,
        completion: @escaping @Sendable (Result<Void, FileError>) -> Void
    ) {
        inbox.add(Job(data: data, name: name, folder: folder, completion: completion))
    }

    /// In four passes, since a sync of the file system's journal serves all files that were written before it.
    private static func write(_ batch: [Job]) {
        let files = batch.compactMap { job in attempt(job) { () throws(FileError) in try NewFile(job) } }
        let synced = files.compactMap { file in attempt(file.job) { () throws(FileError) in try file.sync() }
        }
        let named = synced.compactMap { file in attempt(file.job) { () throws(FileError) in try file.name() }
        }
        var folders: [String: Result<Void, FileError>] = [:]
        for file in named {
            let path = file.parent.path
            let result = folders[path] ?? Result { () throws(FileError) in try file.parent.sync() }
            folders[path] = result
            file.job.completion(result)
        }
    }

    /// What `work` returns, or nil after the job was told why not.
    private static func attempt(
        _ job: Job,
        _ work: () throws(FileError) -> NewFile
    ) -> NewFile? {
        do throws(FileError) {
            return try work()
        } catch {
            job.completion(.failure(error))
            return nil
        }
    }
}

/// A file on its way to its name; what has no name yet goes with it.
private final class NewFile {
    let job: Job
    let parent: Folder
    private let last: String
    private let file: Int32
    private let isUnnamed: Bool
    private var isNamed = false

    /// Named after its target, so that work which was cut off and is done again meets and removes its own litter.
    private var beside: String {
        ".nb-\(Digest.sha1.hex(of: last).prefix(16)).tmp"
    }

    /// Writes the job's bytes into a file without a name, or under a temporary one where there is no such thing.
    init(_ job: Job) throws(FileError) {
        let (found, last) = try job.folder.parent(of: job.name, create: true)
        guard let found else { throw FileError("open the folder of", job.name, code: ENOENT) }
        var file = nb_open_unnamed(found.descriptor, 0o644)
        let isUnnamed = file >= 0
        if !isUnnamed {
            guard errno == EOPNOTSUPP || errno == EISDIR else {
                throw FileError("write", job.name, code: errno)
            }
            let name = ".nb-\(Digest.sha1.hex(of: last).prefix(16)).tmp"
            file = nb_open_beneath(found.descriptor, name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            guard file >= 0 else { throw FileError("write", job.name, code: errno) }
        }
        (self.job, parent, self.last, self.file, self.isUnnamed) = (job, found, last, file, isUnnamed)
        try fill()
    }

    deinit {
        close(file)
        if !isNamed, !isUnnamed { unlinkat(parent.descriptor, beside, 0) }
    }

    private func fill() throws(FileError) {
        try WholeTransfer.write(job.data, to: file, path: job.name)
    }

    func sync() throws(FileError) -> NewFile {
        guard fsync(file) == 0 else { throw FileError("sync", job.name, code: errno) }
        return self
    }

    /// Puts the file under its name; the folder's sync makes that durable.
    func name() throws(FileError) -> NewFile {
        if isUnnamed {
            if nb_link_unnamed(file, parent.descriptor, last) == 0 {
                isNamed = true
                return self
            }
            guard errno == EEXIST else { throw FileError("link", job.name, code: errno) }
            unlinkat(parent.descriptor, beside, 0)
            guard nb_link_unnamed(file, parent.descriptor, beside) == 0 else {
                throw FileError("link", job.name, code: errno)
            }
        }
        guard renameat(parent.descriptor, beside, parent.descriptor, last) == 0 else {
            let code = errno
            unlinkat(parent.descriptor, beside, 0)
            throw FileError("rename to", job.name, code: code)
        }
        isNamed = true
        return self
    }
}

/// One file to be written.
private struct Job: Sendable {
    let data: Data
    let name: String
    let folder: Folder
    let completion: @Sendable (Result<Void, FileError>) -> Void
}

/// What is waiting to be written, shared by the writer and its threads.
private final class Inbox: Sendable {
    /// The most files that share one sync of their folder; more would delay the first of them.
    private static let batchSize = 16

    private struct State {
        var jobs: [Job] = []
        var isStopped = false
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    func add(_ job: Job) {
        state.withLock { $0.jobs.append(job) }
        arrivals.signal()
    }

    /// Ends the threads once everything that was added is written.
    func stop() {
        state.withLock { $0.isStopped = true }
        arrivals.signal()
    }

    /// Waits for work, then a little for more of it; nil when the writer was stopped and nothing is left.
    ///
    /// A signal is a hint: whoever wakes takes all there is, so a later one may find nothing.
    func take(delay: Double) -> [Job]? {
        while true {
            arrivals.wait()
            let deadline = DispatchTime.now() + delay
            while state.withLock({ !$0.isStopped && $0.jobs.count < Self.batchSize }) {
                guard arrivals.wait(timeout: deadline) == .success else { break }
            }
            let (batch, isStopped): ([Job], Bool) = state.withLock { state in
                guard !state.jobs.isEmpty else { return ([], state.isStopped) }
                let batch = Array(state.jobs.prefix(Self.batchSize))
                state.jobs.removeFirst(batch.count)
                return (batch, state.isStopped)
            }
            // Every thread is to see the end.
            if isStopped { arrivals.signal() }
            if !batch.isEmpty { return batch }
            if isStopped { return nil }
        }
    }
}
