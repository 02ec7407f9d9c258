import Files
import Foundation
import SQLite

/// A complete and durable file that will become an entry.
struct StoredFile: Sendable {
    /// The name that the entry's file has or will have.
    let name: String
    /// The path below the cache's folder until the entry is recorded.
    private(set) var path: String
    let key: String
    /// Of the file.
    let size: Int
    /// The length of the uncompressed bytes, if the file is compressed.
    let length: Int?
    /// The form of the bytes in the file; nil if they are as they are.
    let coding: EntryCoding?
    /// Of the bytes.
    let sha256: Data
    let metadata: DataCache.Metadata
    let owner: String?

    /// True if it waits beside the file whose name it will take.
    var isReplacement: Bool { path != DataCacheIndex.filePath(name) }

    /// The same file under the name with which it waits to replace an older one.
    var replacement: Self {
        var file = self
        file.path = DataCacheIndex.replacementPath(of: name, sha256)
        return file
    }
}

extension DataCacheIndex {
    /// The outcome of an attempt to make a file an entry.
    enum Recording: Sendable {
        case recorded
        /// The file is missing: another process removed it because it had no row.
        case fileVanished
        /// Even without all entries that may be evicted it would not fit.
        case noRoom
        /// Entries were evicted, but not enough for one transaction to do.
        case evictedSome
    }

    /// Receives the result of a change on the database's thread, once it is durable or has failed.
    typealias Completion<Output> = @Sendable (Result<Output, any Error>) -> Void

    /// Makes `file` an entry, evicting the least recently used ones so that all fit into `limit` bytes.
    ///
    /// It is completed when the row is durable and the files of evicted entries are removed. If an older
    /// file is replaced, that happens once the row is durable: until then the older file keeps its name.
    func record(_ file: StoredFile, limit: Int, completion: @escaping Completion<Recording>) {
        database.write { [self] connection in
            try insert(file, limit: limit, connection)
        } completion: { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success((.evictedSome, let doomed)):
                discard(doomed) { [self] result in
                    if case .failure(let error) = result { return completion(.failure(error)) }
                    record(file, limit: limit, completion: completion)
                }
            case .success(let (recording, doomed)):
                settle(file, recording)
                discard(doomed) { completion($0.map { recording }) }
            }
        }
    }

    /// Removes the entry `name`, its row first.
    func remove(_ name: String, completion: @escaping Completion<Void>) {
        database.write { connection in
            try connection.statement("DELETE FROM entry WHERE name = ?").run(name)
        } completion: { [self] result in
            if case .failure = result { completion(result) } else { discard([name], completion: completion) }
        }
    }

    /// Removes every entry, some thousand at a time.
    func removeAll(completion: @escaping Completion<Void>) {
        database.write { connection in
            let names: [String] = try connection.statement(
                "DELETE FROM entry WHERE name IN (SELECT name FROM entry LIMIT 2000) RETURNING name"
            ).scalars()
            if names.isEmpty { try connection.execute("UPDATE state SET last_sweep = 0, has_evicted = 0") }
            return names
        } completion: { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let names) where names.isEmpty: completion(.success(()))
            case .success(let names):
                discard(names) { [self] result in
                    if case .failure = result {
                        completion(result)
                    } else {
                        removeAll(completion: completion)
                    }
                }
            }
        }
    }

    /// Removes those of the files `names` that have no row; some may have been stored again meanwhile.
    private func discard(_ names: [String], completion: @escaping Completion<Void>) {
        guard !names.isEmpty else { return completion(.success(())) }
        database.read({ [self] in try discard(names, $0) }, completion: completion)
    }

    /// As the other `discard`, on the database's thread.
    func discard(_ names: [String], _ connection: Connection) throws {
        let rows = try connection.statement("SELECT 1 FROM entry WHERE name = ?")
        for name in names where try rows.first(name, row: { _ in true }) == nil {
            try folder.remove(Self.filePath(name))
        }
    }

    /// Stores the validators and dates of a confirmation by the origin, if the bytes still have `sha256`.
    func confirm(_ name: String, sha256: Data, _ metadata: DataCache.Metadata) async throws {
        try await database.write { connection in
            try connection.statement(
                """
                UPDATE entry SET etag = ?3, last_modified = ?4, answered = ?5, freshness = ?6
                WHERE name = ?1 AND sha256 = ?2
                """
            ).run(with: [
                name, sha256, metadata.etag, metadata.lastModified,
                metadata.answered.map(Self.microseconds), metadata.freshness.lines,
            ])
        }
    }

    /// Microseconds since 1970.
    static func now() -> Int64 {
        microseconds(Date())
    }

    private static func microseconds(_ date: Date) -> Int64 {
        Int64(date.timeIntervalSince1970 * 1_000_000)
    }

    private func insert(
        _ file: StoredFile,
        limit: Int,
        _ connection: Connection
    ) throws -> (Recording, doomed: [String]) {
        guard let status = try folder.examine(file.path), status.size == file.size else {
            return (.fileVanished, [])
        }
        let eviction = try makeRoom(for: file, limit: limit, connection)
        if eviction.isImpossible {
            // What was there before is not what was stored last.
            try connection.statement("DELETE FROM entry WHERE name = ?").run(file.name)
            return (.noRoom, [file.name])
        }
        guard eviction.isComplete else { return (.evictedSome, eviction.names) }
        try write(file, stamp: Stamp(status), connection)
        if let owner = file.owner { try Self.pin(file.name, by: owner, connection) }
        return (.recorded, eviction.names)
    }

    /// Writes the row of `file`, in place of the one that its name has.
    private func write(_ file: StoredFile, stamp: Stamp, _ connection: Connection) throws {
        let statement = try connection.statement(Self.insertion)
        try statement.run(with: Self.columns.map { $0.value(file, stamp, epoch) })
    }

    /// The columns of a row with their values for a file and an epoch; the first two are its name and the time.
    private static let columns:
        [(name: String, value: @Sendable (StoredFile, Stamp, Int64) -> any StoredValue)] = [
            ("name", { file, _, _ in file.name }),
            ("created", { _, _, _ in now() }),
            ("key", { file, _, _ in file.key }),
            ("size", { file, _, _ in file.size }),
            ("length", { file, _, _ in file.length }),
            ("coding", { file, _, _ in file.coding?.rawValue }),
            ("sha256", { file, _, _ in file.sha256 }),
            ("epoch", { _, _, epoch in epoch }),
            ("inode", { _, stamp, _ in stamp.inode }),
            ("modified", { _, stamp, _ in stamp.changed }),
            ("final_url", { file, _, _ in file.metadata.finalURL }),
            ("content_type", { file, _, _ in file.metadata.contentType }),
            ("etag", { file, _, _ in file.metadata.etag }),
            ("last_modified", { file, _, _ in file.metadata.lastModified }),
            ("answered", { file, _, _ in file.metadata.answered.map(microseconds) }),
            ("freshness", { file, _, _ in file.metadata.freshness.lines }),
        ]

    /// Inserts an entry with these columns, or changes all but its name and pins; made once, not for each original.
    private static let insertion = {
        let names = columns.map(\.name)
        let places = names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let changes = (names.dropFirst() + ["used"]).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return """
            INSERT INTO entry (\(names.joined(separator: ", ")), used, pins)
            VALUES (\(places), (SELECT max(?2, last_used + 1) FROM state), (SELECT count(*) FROM pin WHERE name = ?1))
            ON CONFLICT (name) DO UPDATE SET \(changes)
            """
    }()

    /// Gives a file that was recorded its name, and removes one that was refused.
    ///
    /// Should this fail, reads find the bytes where they are, and the next sweep does it.
    private func settle(_ file: StoredFile, _ recording: Recording) {
        guard file.isReplacement else { return }
        switch recording {
        case .recorded: try? folder.rename(file.path, to: Self.filePath(file.name))
        case .noRoom: _ = try? folder.remove(file.path)
        case .fileVanished, .evictedSome: break
        }
    }
}
