import Files
import Foundation
import SQLite

extension DataCacheIndex {
    /// The folders that files are spread over.
    static let shards = (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

    /// Trims the cache to `limit` bytes and removes files without a row, which an interruption leaves behind.
    func sweep(limit: Int) async throws {
        let doomed = try await database.write { [self] in try trim(limit, $0) }
        try await database.read { [self] in try discard(doomed, $0) }
        for shard in Self.shards { try await database.read { [self] in try sweep(shard, $0) } }
    }

    /// As `sweep`, but blocks the calling thread.
    func sweepNow(limit: Int) throws {
        let doomed = try database.writeNow { [self] in try trim(limit, $0) }
        try database.readNow { [self] in try discard(doomed, $0) }
        for shard in Self.shards { try database.readNow { [self] in try sweep(shard, $0) } }
    }

    /// The bytes that the files take on the disk, by their blocks.
    func allocatedSize() -> Int {
        var size = 0
        for shard in Self.shards {
            guard let opened = try? folder.folder(shard), let names = try? opened.names() else { continue }
            for name in names {
                var status = stat()
                // A block of st_blocks is 512 bytes whatever the file system's own are (stat(2)).
                if lstat("\(opened.path)/\(name)", &status) == 0 { size += Int(status.st_blocks) * 512 }
            }
        }
        return size
    }

    private func trim(_ limit: Int, _ connection: Connection) throws -> [String] {
        try connection.statement("UPDATE state SET last_sweep = ?").run(.integer(Self.now()))
        return try evict(room: 0, limit: limit, sparing: "", connection)
            ?? evictAll(connection)
    }

    /// Pinned entries alone are more than the limit: nothing but them stays.
    private func evictAll(_ connection: Connection) throws -> [String] {
        try connection.statement("DELETE FROM entry WHERE pins = 0 RETURNING name").rows { $0.text(0) }
    }

    private func sweep(_ shard: String, _ connection: Connection) throws {
        guard let opened = try? folder.folder(shard) else { return }
        let rows = try connection.statement("SELECT 1 FROM entry WHERE name = ?")
        for name in try opened.names() {
            let isEntry = try rows.first(.text(name)) { _ in true } ?? false
            if !isEntry { try opened.remove(name) }
        }
    }
}
