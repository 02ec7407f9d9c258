public import Foundation

/// Looking at all that a cache holds, for those who look after it.
extension DataCache {
    /// An entry as it is listed.
    public struct Entry: Sendable, Hashable {
        /// What it was stored for.
        public let key: String
        /// What is known of its bytes.
        public let metadata: Metadata
        /// The length of its file, smaller than that of the bytes where they are compressed.
        public let fileSize: Int
        /// When it was last used, or stored.
        public let used: Date
        /// Whether somebody keeps it from eviction.
        public let isPinned: Bool
    }

    /// Calls `body` with every durable entry, in the order of their files' names, a page at a time.
    ///
    /// Entries that are stored or removed meanwhile may be among them or not. Blocks the calling thread.
    /// - Throws: the error of SQLite where the index cannot be read, or what `body` throws.
    public func forEachEntry(_ body: (Entry) throws -> Void) throws {
        try forEachNamedEntry { _, entry in try body(entry) }
    }

    /// Reads the file of every entry, compares it with its SHA-256, and removes the entries whose bytes are others.
    ///
    /// - Returns: how many were read, and the keys of those that were removed.
    /// - Throws: the error of SQLite where the index cannot be read.
    public func verify() throws -> (count: Int, removed: [String]) {
        var (count, removed): (Int, [String]) = (0, [])
        let index = index
        try forEachNamedEntry { name, entry in
            guard let row = try index.row(name) else { return }
            count += 1
            // It may have been replaced between its row and its file: a second look tells.
            if index.isIntact(name, row) { return }
            if let now = try index.row(name), index.isIntact(name, now) { return }
            removed.append(entry.key)
            removeData(for: entry.key)
        }
        flush()
        return (count, removed)
    }

    /// Evicts what was used longest ago until all fits into `limit` bytes; pinned entries stay.
    ///
    /// Files that an interruption left without an entry go as well. Blocks the calling thread.
    /// - Throws: the error of SQLite, or of the file system.
    public func trim(to limit: Int) throws {
        flush()
        try index.trimNow(to: limit)
    }

    /// The bytes of all entries that are kept from eviction, and who keeps them: the paths of jobs.
    /// - Throws: the error of SQLite where the index cannot be read.
    public func pins() throws -> (size: Int, owners: [String]) {
        try index.pins()
    }

    private func forEachNamedEntry(_ body: (String, Entry) throws -> Void) throws {
        var last = ""
        while true {
            let page = try index.page(after: last, limit: 1000)
            guard let end = page.last else { return }
            for (name, entry) in page { try body(name, entry) }
            last = end.name
        }
    }
}
