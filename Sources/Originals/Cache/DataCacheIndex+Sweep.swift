import Files
import Foundation
import SQLite

extension DataCacheIndex {
    /// The folders that files are spread over.
    static let subfolders = (0..<256).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }

    /// Trims the cache to `limit` bytes and removes files without a row, which an interruption leaves behind.
    func sweep(limit: Int) async throws {
        while true {
            let eviction = try await database.write { [self] in try trim(to: limit, $0) }
            try await database.read { [self] in try discard(eviction.names, $0) }
            if eviction.isComplete { break }
        }
        for subfolder in existingSubfolders() {
            try await database.read { [self] in try sweep(subfolder, $0) }
        }
    }

    /// As `sweep`, but blocks the calling thread, and makes room: a cache that has reached `limit` since the last
    /// time is trimmed to 70 % of it.
    func sweepNow(limit: Int) throws {
        // As in Nuke, which enforces the limit only in sweeps.
        let low = Int(Double(limit) * 0.7)
        let isFull = try database.readNow { connection in
            let state = try connection.statement("SELECT has_evicted, size FROM state")
                .first { ($0["has_evicted"] as Bool, $0["size"] as Int) }
            return state.map { hasEvicted, size in hasEvicted || size > limit } ?? false
        }
        try trimNow(to: isFull ? low : limit)
        try database.writeNow { try $0.execute("UPDATE state SET has_evicted = 0") }
    }

    /// Evicts what was used longest ago until all fits into `limit` bytes, and removes files without an entry; blocks.
    func trimNow(to limit: Int) throws {
        while true {
            let eviction = try database.writeNow { [self] in try trim(to: limit, $0) }
            try database.readNow { [self] in try discard(eviction.names, $0) }
            if eviction.isComplete { break }
        }
        for subfolder in existingSubfolders() {
            try database.readNow { [self] in try sweep(subfolder, $0) }
        }
    }

    /// The bytes that the files take on the disk, by their blocks.
    func allocatedSize() -> Int {
        var size = 0
        for subfolder in Self.subfolders {
            guard let opened = try? folder.folder(subfolder), let names = try? opened.names() else {
                continue
            }
            for name in names {
                var status = stat()
                // A block of st_blocks is 512 bytes whatever the file system's own are (stat(2)).
                if unsafe lstat("\(opened.path)/\(name)", &status) == 0 {
                    size += Int(status.st_blocks) * 512
                }
            }
        }
        return size
    }

    /// A young cache has few of the folders, and each takes a turn of the database.
    private func existingSubfolders() -> [String] {
        guard let names = try? Set(folder.names()) else { return Self.subfolders }
        return Self.subfolders.filter { names.contains($0) }
    }

    private func trim(to limit: Int, _ connection: Connection) throws -> Eviction {
        try connection.statement("UPDATE state SET last_sweep = ?").run(Self.now())
        // Where pinned entries alone are more than the limit, nothing but them stays.
        let pinned = Int(try connection.integer("SELECT pinned_size FROM state"))
        return try evict(excess: { $0 - max(limit, pinned) }, sparing: "", connection)
    }

    private func sweep(_ subfolder: String, _ connection: Connection) throws {
        guard let opened = try? folder.folder(subfolder) else { return }
        let rows = try connection.statement(Self.rowByName)
        for file in try opened.names() where try rows.first(file, row: { _ in true }) == nil {
            let name = Self.target(ofReplacement: file)
            let row = try name.flatMap { try rows.first($0) { [epoch] in Row($0, epoch: epoch) } }
            if let name, let row, file == Self.replacement(of: name, row.sha256),
                content(at: "\(subfolder)/\(file)", of: name, row) != nil
            {
                // The process ended, or the power, between the commit of its row and its renaming.
                try opened.rename(file, to: name)
            } else {
                try opened.remove(file)
            }
        }
    }
}
