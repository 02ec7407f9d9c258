import Files
import Foundation
import SQLite

/// A complete and durable file that is to become an entry.
struct StoredFile: Sendable {
    let name: String
    let key: String
    let size: Int
    let sha256: Data
    let metadata: DataCache.Metadata
    let owner: String?
}

extension DataCacheIndex {
    /// What became of an attempt to make a file an entry.
    enum Recording: Sendable {
        case recorded
        /// The file is gone: another process removed it as one that has no row.
        case fileVanished
        /// Even without all entries that may be evicted it would not fit.
        case noRoom
    }

    /// Is told, on the database's thread, when a change is durable or has failed.
    typealias Completion<Output> = @Sendable (Result<Output, any Error>) -> Void

    /// Makes `file` an entry, evicting the least recently used ones so that all fit into `limit` bytes.
    ///
    /// It is completed when the row is durable and the files of the evicted are gone.
    func record(_ file: StoredFile, limit: Int, completion: @escaping Completion<Recording>) {
        database.write { [self] connection in
            try insert(file, limit: limit, connection)
        } completion: { [self] result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let (recording, doomed)):
                discard(doomed) { completion($0.map { recording }) }
            }
        }
    }

    /// Removes the entry `name`, its row first.
    func remove(_ name: String, completion: @escaping Completion<Void>) {
        database.write { connection in
            try connection.statement("DELETE FROM entry WHERE name = ?").run(.text(name))
        } completion: { [self] result in
            if case .failure = result { completion(result) } else { discard([name], completion: completion) }
        }
    }

    /// Removes every entry, some thousand at a time.
    func removeAll(completion: @escaping Completion<Void>) {
        database.write { connection in
            try connection.statement(
                "DELETE FROM entry WHERE name IN (SELECT name FROM entry LIMIT 2000) RETURNING name"
            ).rows { $0.text(0) }
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

    /// Looks at the file `name` once more and drops the entry if file and row disagree.
    func dropIfDamaged(_ name: String) async throws {
        let isDropped = try await database.write { [folder] connection in
            let row = try connection.statement("SELECT size, sha256 FROM entry WHERE name = ?")
                .first(.text(name)) { (Int($0.integer(0)), $0.blob(1)) }
            guard let (size, sha256) = row else { return true }
            let data = try? folder.read(Self.place(name), limit: size)
            if let data, data.count == size, Data(Digest.sha256.bytes(of: data)) == sha256 { return false }
            try connection.statement("DELETE FROM entry WHERE name = ?").run(.text(name))
            return true
        }
        if isDropped { try await database.read { [self] in try discard([name], $0) } }
    }

    /// Pins the files `names` for `owner`, whether they are there yet or not.
    func pin(_ names: [String], by owner: String) async throws {
        try await database.write { connection in
            for name in names { try Self.pin(name, by: owner, connection) }
        }
    }

    /// Ends the pins of `owner` on `names`, or all that it has.
    func unpin(_ names: [String]?, by owner: String) async throws {
        try await database.write { connection in
            let mine = "owner_id = (SELECT owner_id FROM owner WHERE path = ?1)"
            if let names {
                let statement = try connection.statement("DELETE FROM pin WHERE \(mine) AND name = ?2")
                for name in names { try statement.run(.text(owner), .text(name)) }
            } else {
                try connection.statement("DELETE FROM pin WHERE \(mine)").run(.text(owner))
                try connection.statement("DELETE FROM owner WHERE path = ?").run(.text(owner))
            }
        }
    }

    /// Deletes the least recently used rows until `room` more bytes fit into `limit`, sparing `name`.
    /// - Returns: the names whose files are to be removed; nil, and nothing is deleted, if they cannot fit.
    func evict(room: Int, limit: Int, sparing name: String, _ connection: Connection) throws -> [String]? {
        var excess = Int(try connection.integer("SELECT size FROM state")) + room - limit
        guard excess > 0 else { return [] }
        try uses.write(to: connection)
        let oldest = try connection.statement(
            "SELECT name, size FROM entry WHERE pins = 0 AND name <> ? ORDER BY used"
        )
        defer { oldest.reset() }
        var doomed: [String] = []
        try oldest.bind([.text(name)])
        while excess > 0, try oldest.step() {
            doomed.append(oldest.text(0))
            excess -= Int(oldest.integer(1))
        }
        oldest.reset()
        guard excess <= 0 else { return nil }
        let deletion = try connection.statement("DELETE FROM entry WHERE name = ?")
        for name in doomed { try deletion.run(.text(name)) }
        return doomed
    }

    /// Removes those of the files `names` that have no row; some may have been stored anew meanwhile.
    private func discard(_ names: [String], completion: @escaping Completion<Void>) {
        guard !names.isEmpty else { return completion(.success(())) }
        database.read({ [self] in try discard(names, $0) }, completion: completion)
    }

    /// As the other `discard`, on the database's thread.
    func discard(_ names: [String], _ connection: Connection) throws {
        let rows = try connection.statement("SELECT 1 FROM entry WHERE name = ?")
        for name in names where try rows.first(.text(name), row: { _ in true }) == nil {
            try folder.remove(Self.place(name))
        }
    }

    /// Microseconds since 1970.
    static func now() -> Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000)
    }

    private func insert(
        _ file: StoredFile,
        limit: Int,
        _ connection: Connection
    ) throws -> (Recording, doomed: [String]) {
        guard folder.status(of: Self.place(file.name))?.size == file.size else { return (.fileVanished, []) }
        let name = Value.text(file.name)
        let old = try connection.statement("SELECT size FROM entry WHERE name = ?").first(name) {
            $0.integer(0)
        }
        guard
            let doomed = try evict(
                room: file.size - Int(old ?? 0),
                limit: limit,
                sparing: file.name,
                connection
            )
        else {
            // The file has already taken the place of the one that an old row speaks of.
            try connection.statement("DELETE FROM entry WHERE name = ?").run(name)
            return (.noRoom, [file.name])
        }
        let metadata = file.metadata
        try connection.statement(
            """
            INSERT INTO entry VALUES (?1, ?2, ?3, ?4, ?5, (SELECT max(?5, last_used + 1) FROM state), ?6,
              (SELECT count(*) FROM pin WHERE name = ?1), ?7, ?8, ?9, ?10)
            ON CONFLICT (name) DO UPDATE SET
              key = excluded.key, size = excluded.size, sha256 = excluded.sha256, created = excluded.created,
              used = excluded.used, epoch = excluded.epoch, final_url = excluded.final_url,
              content_type = excluded.content_type, etag = excluded.etag, last_modified = excluded.last_modified
            """
        ).run(
            name,
            .text(file.key),
            Value(file.size),
            .blob(file.sha256),
            .integer(Self.now()),
            .integer(epoch),
            Value(metadata.finalURL),
            Value(metadata.contentType),
            Value(metadata.etag),
            Value(metadata.lastModified)
        )
        if let owner = file.owner { try Self.pin(file.name, by: owner, connection) }
        return (.recorded, doomed)
    }

    private static func pin(_ name: String, by owner: String, _ connection: Connection) throws {
        try connection.statement("INSERT OR IGNORE INTO owner (path) VALUES (?)").run(.text(owner))
        try connection.statement(
            "INSERT OR IGNORE INTO pin SELECT owner_id, ?2 FROM owner WHERE path = ?1"
        ).run(.text(owner), .text(name))
    }
}
