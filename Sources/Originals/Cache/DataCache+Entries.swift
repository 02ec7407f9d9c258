public import Foundation

/// Listing, verifying and trimming a cache.
extension DataCache {
    /// A listed entry.
    public struct Entry: Sendable, Hashable {
        /// The key it was stored for.
        public let key: String
        /// The metadata of its bytes.
        public let metadata: Metadata
        /// The size of its file in bytes, smaller than the data if compressed.
        public let fileSize: Int
        /// The time of its last use, or of its storing.
        public let used: Date
        /// True if it is pinned.
        public let isPinned: Bool
    }

    /// Calls `body` with every durable entry, in the order of their files' names, a page at a time.
    ///
    /// Entries that are stored or removed meanwhile may be among them or not. Blocks the calling thread.
    /// - Throws: The error of SQLite if the index cannot be read, or the error of `body`.
    public func forEachEntry(_ body: (Entry) throws -> Void) throws {
        try forEachNamedEntry { _, entry in try body(entry) }
    }

    /// The files of entries that are not, or need not be, their bytes as they are.
    package struct Codings: Sendable {
        /// Some entries: their number, the bytes of their files, and their own.
        package typealias Sums = (count: Int, fileBytes: Int, bytes: Int)

        /// Those that are compressed (RFC 1951).
        package let deflate: Sums
        /// The JPEGs that are kept as JPEG XL.
        package let jpegXL: Sums
        /// The JPEGs that could not be kept as JPEG XL.
        package let keptJPEGs: Sums
    }

    /// Returns what compression has done; looks at all entries, on the calling thread.
    /// - Throws: The error of SQLite if the index cannot be read.
    package func codings() throws -> Codings {
        let sums = try index.codings()
        return Codings(
            deflate: sums[.deflate] ?? (0, 0, 0),
            jpegXL: sums[.jpegXL] ?? (0, 0, 0),
            keptJPEGs: sums[.keptJPEG] ?? (0, 0, 0)
        )
    }

    /// Reads the file of every entry, compares it with its SHA-256, and removes damaged entries.
    ///
    /// - Returns: The number of entries read, and the keys of the removed ones.
    /// - Throws: The error of SQLite if the index cannot be read.
    public func verify() throws -> (count: Int, removed: [String]) {
        var (count, removed): (Int, [String]) = (0, [])
        let index = index
        try forEachNamedEntry { name, entry in
            guard let row = try index.row(name) else { return }
            count += 1
            // It may have been replaced between its row and its file: look again.
            if index.isIntact(name, row) { return }
            if let now = try index.row(name), index.isIntact(name, now) { return }
            removed.append(entry.key)
            removeData(for: entry.key)
        }
        flush()
        return (count, removed)
    }

    /// Evicts the least recently used entries until all fit into `limit` bytes; pinned entries stay.
    ///
    /// It also removes files that an interruption left without an entry. Blocks the calling thread.
    /// - Throws: The error of SQLite, or of the file system.
    public func trim(to limit: Int) throws {
        flush()
        try index.trimNow(to: limit)
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
