import Files
import Foundation
import Synchronization

extension DataCache {
    /// Carries out `step` and then whatever comes next.
    ///
    /// No Swift task is used, since `flush` may block all the threads that tasks have.
    func perform(_ step: StagedChanges.Step) {
        switch step {
        case .removeAll(let id):
            index.removeAll { [self] result in
                end(result, of: nil, as: nil) { $0.changes.finishRemoval(id: id) }
            }
        case .change(let key, let id, .remove):
            guard let name = filename(for: key) else {
                return end(.success(()), of: key, as: .removed(key: key)) { $0.changes.finish(key, id: id) }
            }
            index.remove(name) { [self] result in
                end(result, of: key, as: .removed(key: key)) { $0.changes.finish(key, id: id) }
            }
        case .change(let key, let id, .store(let data, let metadata, let owner)):
            write(data, for: key, metadata, owner) { [self] result in
                end(result, of: key, as: nil) { $0.changes.finish(key, id: id) }
            }
        }
    }

    /// Takes the step out of the staging, tells those who wait for it (with `answer` where it succeeded), and
    /// begins what comes next.
    private func end(
        _ result: Result<Void, any Error>,
        of key: String?,
        as answer: DataCacheError?,
        finish: (inout Staging) -> [StagedChanges.Waiter]
    ) {
        let path = path.path
        let told = result.mapError { error in
            error as? DataCacheError ?? .writing(key: key ?? "all entries", path: path, cause: error)
        }.flatMap { answer.map { .failure($0) } ?? .success(()) }
        let (waiters, hasRoom) = staging.withLock { staging in
            if case .failure = result, case .failure(let error) = told {
                staging.failures.add(error, for: key)
            }
            return (finish(&staging), staging.takeRoomWaiters())
        }
        for call in waiters { call(told) }
        for call in hasRoom { call() }
        begin()
    }

    private func write(
        _ data: Data,
        for key: String,
        _ metadata: Metadata,
        _ owner: String?,
        completion: @escaping DataCacheIndex.Completion<Void>
    ) {
        guard let name = filename(for: key) else {
            return completion(.failure(DataCacheError.noFileName(key: key)))
        }
        let limit = sizeLimit
        guard data.count <= limit else {
            let error = DataCacheError.noRoom(key: key, size: data.count, limit: limit, path: path.path)
            return index.remove(name) { completion($0.flatMap { .failure(error) }) }
        }
        let file = StoredFile(
            name: name,
            key: key,
            size: data.count,
            sha256: Data(Digest.sha256.bytes(of: data)),
            metadata: metadata,
            owner: owner
        )
        write(data, file, attempts: 5, completion: completion)
    }

    /// The file first, its row second.
    ///
    /// Another process may remove a file that has no row yet, as a leftover; then it is written again.
    private func write(
        _ data: Data,
        _ file: StoredFile,
        attempts: Int,
        completion: @escaping DataCacheIndex.Completion<Void>
    ) {
        writer.submit(data, to: DataCacheIndex.place(file.name), in: folder) { [self] written in
            switch written {
            case .failure(let error) where error.isMissing && attempts > 1:
                write(data, file, attempts: attempts - 1, completion: completion)
            case .failure(let error): completion(.failure(error))
            case .success: record(data, file, attempts: attempts, completion: completion)
            }
        }
    }

    private func record(
        _ data: Data,
        _ file: StoredFile,
        attempts: Int,
        completion: @escaping DataCacheIndex.Completion<Void>
    ) {
        let limit = sizeLimit
        index.record(file, limit: limit) { [self] recorded in
            switch recorded {
            case .failure(let error): completion(.failure(error))
            case .success(.recorded): completion(.success(()))
            case .success(.noRoom):
                let size = file.size
                completion(
                    .failure(DataCacheError.noRoom(key: file.key, size: size, limit: limit, path: path.path))
                )
            case .success(.fileVanished) where attempts > 1:
                write(data, file, attempts: attempts - 1, completion: completion)
            case .success(.fileVanished):
                let place = "\(path.path)/\(DataCacheIndex.place(file.name))"
                completion(.failure(FileError("keep", place, code: ENOENT)))
            }
        }
    }
}
