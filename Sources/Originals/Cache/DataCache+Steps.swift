import Files
import Foundation
import Synchronization

extension DataCache {
    /// Carries out `step` and then whatever comes next.
    ///
    /// No Swift task is used, since `flush` may block all the threads that tasks have.
    func perform(_ step: StagedChanges.Step, attempts: Int = 5) {
        let index = index
        let completion: DataCacheIndex.Completion<Void> = { [self] result in
            end(step, with: result, in: index, attempts: attempts)
        }
        switch step {
        case .removeAll: index.removeAll(completion: completion)
        case .change(let key, _, .remove):
            guard let name = filename(for: key) else { return completion(.success(())) }
            index.remove(name, completion: completion)
        case .change(let key, _, .store(let data, let metadata, let owner, let file)):
            let bytes = (data: data, file: file)
            write(bytes, for: key, metadata, pinnedBy: owner, in: index, completion: completion)
        }
    }

    /// Removes the step from the staging, calls its waiters, and starts the next one.
    ///
    /// A step that found a file or folder missing is repeated: another process may remove a file that has
    /// no row yet, as a leftover, or the whole cache, which is then created again.
    private func end(
        _ step: StagedChanges.Step,
        with result: Result<Void, any Error>,
        in index: DataCacheIndex,
        attempts: Int
    ) {
        var result = result
        if case .failure(let error) = result, attempts > 1, Self.isGone(error) {
            do {
                try opened.reopen(after: index)
                return perform(step, attempts: attempts - 1)
            } catch {
                result = .failure(error)
            }
        }
        let (path, key) = (path.path, step.key)
        let told = result.mapError { error in
            error as? DataCacheError ?? .writing(key: key ?? "all entries", path: path, cause: error)
        }
        let (waiters, hasRoom) = staging.withLock { staging in
            if case .failure(let error) = told { staging.failures.add(error, for: key) }
            return (staging.changes.finish(step), staging.takeRoomWaiters())
        }
        // What was removed was not stored.
        let answer = told.flatMap { step.isRemoval ? .failure(.removed(key: key ?? "")) : .success(()) }
        for call in waiters { call(key == nil ? told : answer) }
        for call in hasRoom { call() }
        begin()
    }

    private static func isGone(_ error: any Error) -> Bool {
        error is IndexVanished || (error as? FileError)?.isMissing == true
    }

    private func write(
        _ bytes: (data: Data, file: UnnamedFile?),
        for key: String,
        _ metadata: Metadata,
        pinnedBy owner: String?,
        in index: DataCacheIndex,
        completion: @escaping DataCacheIndex.Completion<Void>
    ) {
        guard let name = filename(for: key) else {
            return completion(.failure(DataCacheError.noFileName(key: key)))
        }
        let data = bytes.data
        compress(data) { [self] stored, coding in
            let limit = sizeLimit
            guard stored.count <= limit else {
                let error = DataCacheError.noRoom(key: key, size: stored.count, limit: limit, path: path.path)
                return index.remove(name) { completion($0.flatMap { .failure(error) }) }
            }
            let isAsItIs = stored.count == data.count
            let file = StoredFile(
                name: name,
                path: DataCacheIndex.filePath(name),
                key: key,
                size: stored.count,
                length: isAsItIs ? nil : data.count,
                coding: coding,
                sha256: metadata.sha256.isEmpty ? Data(Digest.sha256.bytes(of: data)) : metadata.sha256,
                metadata: metadata,
                owner: owner
            )
            write(
                (stored, isAsItIs ? bytes.file : nil),
                file,
                limit: limit,
                in: index,
                completion: completion
            )
        }
    }

    /// Compresses as the settings say, and goes on: on the calling thread, unless it takes long.
    private func compress(_ data: Data, then write: @escaping @Sendable (Data, EntryCoding?) -> Void) {
        let work: @Sendable () -> Void = { [self] in
            let (stored, coding) = EntryCoding.compress(data, by: compression)
            write(stored, coding)
        }
        if compression == .jpegXL { compressing.addOperation(work) } else { work() }
    }

    /// Writes the file first, then its row; if the file already exists, the new one is written beside it.
    private func write(
        _ bytes: (data: Data, file: UnnamedFile?),
        _ file: StoredFile,
        limit: Int,
        in index: DataCacheIndex,
        completion: @escaping DataCacheIndex.Completion<Void>
    ) {
        let mayWait = file.name.utf8.count <= DataCacheIndex.longestReplaced && !file.isReplacement
        let (data, body, folder) = (bytes.data, bytes.file, index.folder)
        writer.submit(Payload(data), file: body, to: file.path, in: folder, replaces: !mayWait) {
            [self] written in
            switch written {
            case .failure(let error) where mayWait && error.code == EEXIST:
                write(bytes, file.replacement, limit: limit, in: index, completion: completion)
            case .failure(let error): completion(.failure(error))
            case .success: record(file, limit: limit, in: index, completion: completion)
            }
        }
    }

    private func record(
        _ file: StoredFile,
        limit: Int,
        in index: DataCacheIndex,
        completion: @escaping DataCacheIndex.Completion<Void>
    ) {
        index.record(file, limit: limit) { [path] recorded in
            switch recorded {
            case .failure(let error): completion(.failure(error))
            case .success(.recorded), .success(.evictedSome): completion(.success(()))
            case .success(.noRoom):
                let (key, size) = (file.key, file.size)
                completion(
                    .failure(DataCacheError.noRoom(key: key, size: size, limit: limit, path: path.path))
                )
            case .success(.fileVanished):
                completion(.failure(FileError("keep", "\(path.path)/\(file.path)", code: ENOENT)))
            }
        }
    }
}

extension StagedChanges.Step {
    /// The key that is changed; nil for all.
    fileprivate var key: String? {
        switch self {
        case .change(let key, _, _): key
        case .removeAll: nil
        }
    }

    fileprivate var isRemoval: Bool {
        switch self {
        case .change(_, _, .remove), .removeAll: true
        case .change(_, _, .store): false
        }
    }
}

extension StagedChanges {
    fileprivate mutating func finish(_ step: Step) -> [Waiter] {
        switch step {
        case .change(let key, let id, _): finish(key, id: id)
        case .removeAll(let id): finishRemoval(id: id)
        }
    }
}
