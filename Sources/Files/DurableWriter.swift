public import Foundation

/// Writes files so that each is complete under its name or not there at all, and still there after the power was cut.
///
/// A file is written without a name (`O_TMPFILE`), synced, and only then linked under its name; where the name
/// is taken it is linked beside it and renamed over it. The folder is synced last. What arrives while others are
/// synced becomes one batch, and shares the next sync. A caller waits without holding a thread: the work is done on
/// threads of the writer's own.
public final class DurableWriter: Sendable {
    private let queue = WriteQueue()
    private let fileSystem = FileSystemSync()

    /// Starts the writer with so many threads, which do nothing but wait for the disk.
    ///
    /// Where files are synced one by one, syncs that run at the same time share the flushes of the disk's cache and the
    /// commits of the file system's journal: sixteen threads write small files four times as fast as two. A file waits up
    /// to `delay` seconds for others to share its syncs.
    public init(threads: Int = 16, delay: Double = 0.005) {
        for number in 0..<threads {
            let thread = Thread { [queue, fileSystem] in
                while let batch = queue.take(delay: delay) { Self.write(batch, queue, fileSystem) }
            }
            thread.name = "durable-\(number)"
            thread.start()
        }
    }

    deinit {
        queue.stop()
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
    ///
    /// Unless it `replaces`, it fails with `EEXIST` where something stands under the name.
    public func submit(
        _ data: Data,
        to name: String,
        in folder: Folder,
        replaces: Bool = true,
        completion: @escaping @Sendable (Result<Void, FileError>) -> Void
    ) {
        queue.add(
            WriteJob(data: data, name: name, folder: folder, replaces: replaces, completion: completion)
        )
    }

    /// In four passes, since a sync serves all files that were written before it.
    ///
    /// The turn to take the next batch is kept while the whole file system is synced: another such sync meanwhile would do
    /// the same work twice. Syncs of files one by one go on beside each other.
    private static func write(_ batch: [WriteJob], _ queue: WriteQueue, _ fileSystem: FileSystemSync) {
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
        let isSynced = isWhole && fileSystem.sync(files)
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

    /// What `work` returns, or nil after the job was told why not.
    private static func attempt(
        _ job: WriteJob,
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

/// The folders that a batch's files go into, each opened once.
private struct ParentFolders {
    private struct Key: Hashable {
        let folder: ObjectIdentifier
        let path: String?
    }

    private var opened: [Key: Folder] = [:]

    /// The folder that `name` goes into, made where it is missing, and the last part of `name`.
    mutating func parent(of name: String, in folder: Folder) throws(FileError) -> (Folder, last: String) {
        let (path, last) = Folder.split(name)
        let key = Key(folder: ObjectIdentifier(folder), path: path)
        if let parent = opened[key] { return (parent, last) }
        let parent = if let path { try folder.folder(path, create: true) } else { folder }
        opened[key] = parent
        return (parent, last)
    }
}
