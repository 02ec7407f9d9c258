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

    /// Starts the writer.
    /// - Parameter threads: how many files are written at once; syncs overlap, so a few help on any disk.
    public init(threads: Int = 2) {
        for number in 0..<threads {
            let thread = Thread { [inbox] in
                while let batch = inbox.take() { Self.write(batch) }
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

    private static func write(_ batch: [Job]) {
        var linked: [(job: Job, parent: Folder)] = []
        for job in batch {
            do throws(FileError) {
                linked.append((job, try link(job)))
            } catch {
                job.completion(.failure(error))
            }
        }
        var synced: [String: Result<Void, FileError>] = [:]
        for (job, parent) in linked {
            let result = synced[parent.path] ?? Result { () throws(FileError) in try parent.sync() }
            synced[parent.path] = result
            job.completion(result)
        }
    }

    /// Puts the job's file, complete and synced, under its name, and returns the folder that is to be synced.
    private static func link(_ job: Job) throws(FileError) -> Folder {
        let (found, last) = try job.folder.parent(of: job.name, create: true)
        guard let parent = found else { throw FileError("open the folder of", job.name, code: ENOENT) }
        // Named after its target, so that work which was cut off and is done again meets and removes its own litter.
        let beside = ".nb-\(Digest.sha1.hex(of: last).prefix(16)).tmp"
        var file = nb_open_unnamed(parent.descriptor, 0o644)
        let isUnnamed = file >= 0
        if !isUnnamed {
            guard errno == EOPNOTSUPP || errno == EISDIR else {
                throw FileError("write", job.name, code: errno)
            }
            file = nb_open_beneath(parent.descriptor, beside, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
            guard file >= 0 else { throw FileError("write", job.name, code: errno) }
        }
        defer { close(file) }
        do throws(FileError) {
            try fill(file, with: job.data, name: job.name)
            if isUnnamed {
                if nb_link_unnamed(file, parent.descriptor, last) == 0 { return parent }
                guard errno == EEXIST else { throw FileError("link", job.name, code: errno) }
                unlinkat(parent.descriptor, beside, 0)
                guard nb_link_unnamed(file, parent.descriptor, beside) == 0 else {
                    throw FileError("link", job.name, code: errno)
                }
            }
            guard renameat(parent.descriptor, beside, parent.descriptor, last) == 0 else {
                throw FileError("rename to", job.name, code: errno)
            }
        } catch {
            unlinkat(parent.descriptor, beside, 0)
            throw error
        }
        return parent
    }

    private static func fill(_ file: Int32, with data: Data, name: String) throws(FileError) {
        var done = 0
        while done < data.count {
            let start = done
            let count = data.withUnsafeBytes { bytes in
                pwrite(file, bytes.baseAddress.map { $0 + start }, bytes.count - start, off_t(start))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw FileError("write", name, code: count == 0 ? EIO : errno) }
            done += count
        }
        guard fsync(file) == 0 else { throw FileError("sync", name, code: errno) }
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

    /// Waits for work; nil when the writer was stopped and nothing is left.
    func take() -> [Job]? {
        while true {
            arrivals.wait()
            let (batch, isStopped) = state.withLock { state in
                let batch = Array(state.jobs.prefix(Self.batchSize))
                state.jobs.removeFirst(batch.count)
                return (batch, state.isStopped)
            }
            if !batch.isEmpty {
                if isStopped { arrivals.signal() }
                return batch
            }
            if isStopped {
                // Wakes the next thread, which finds the same.
                arrivals.signal()
                return nil
            }
        }
    }
}
