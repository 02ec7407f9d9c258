import Files
public import Foundation
public import JobManifest
public import JobPlanning
import Originals

/// The cache of originals, for inspection and maintenance.
///
/// Functions block their thread. They may be called while runs use the cache.
public final class Originals: Sendable {
    /// An original in a listing; times are RFC 3339 in UTC.
    public struct Entry: Sendable, Encodable {
        /// Its URL; for an item with its own headers, followed by a line with their digest.
        public let key: String
        /// Its size in bytes.
        public let bytes: Int
        /// SHA-256 of its bytes, in hexadecimal.
        public let sha256: String
        /// The content type that the server sent.
        @Nullable public private(set) var contentType: String?
        /// The final URL, after redirects.
        @Nullable public private(set) var finalURL: String?
        /// The validators of the response.
        @Nullable public private(set) var etag: String?
        /// The validators of the response.
        @Nullable public private(set) var lastModified: String?
        /// The time at which it was stored.
        @Nullable public private(set) var stored: String?
        /// The time at which its origin sent or confirmed it.
        @Nullable public private(set) var confirmed: String?
        /// The time at which it was last used.
        public let used: String
        /// True if a job has pinned it.
        public let isPinned: Bool

        init(_ entry: DataCache.Entry) {
            let known = entry.metadata
            key = ItemListing.withoutUser(entry.key)
            bytes = known.size
            sha256 = Digest.hex(known.sha256)
            used = entry.used.formatted(.iso8601)
            isPinned = entry.isPinned
            contentType = known.contentType
            finalURL = known.finalURL.map(ItemListing.withoutUser)
            etag = known.etag
            lastModified = known.lastModified
            stored = known.created?.formatted(.iso8601)
            confirmed = known.answered?.formatted(.iso8601)
        }
    }

    /// Originals whose files are smaller than they are.
    public struct Compressed: Sendable, Encodable {
        /// Their number.
        public let count: Int
        /// The size of their files, in bytes.
        public let bytes: Int
        /// Their own size, in bytes.
        public let originalBytes: Int

        init(_ sums: DataCache.Codings.Sums) {
            (count, bytes, originalBytes) = sums
        }
    }

    /// The totals of a cache.
    public struct Statistics: Sendable, Encodable {
        /// The folder.
        public let directory: String
        /// The number of originals.
        public let count: Int
        /// The total size of their files, in bytes.
        public let bytes: Int
        /// The disk space allocated for their files, in bytes.
        public let allocatedBytes: Int
        /// The originals whose files are compressed.
        public let deflate: Compressed
        /// The JPEGs that are kept as JPEG XL.
        public let jxl: Compressed
        /// The JPEGs that could not be kept as JPEG XL, and are as they were.
        public let keptJPEGs: Int
        /// The bytes that jobs have pinned.
        public let pinnedBytes: Int
        /// The states of the jobs with pins.
        public let pinnedBy: [String]
        /// The size limit of the cache in bytes; nil without a manifest.
        @Nullable public private(set) var sizeLimit: Int?

        init(_ cache: DataCache, sizeLimit: Int?) throws {
            directory = cache.path.path
            count = cache.totalCount
            bytes = cache.totalSize
            allocatedBytes = cache.totalAllocatedSize
            let codings = try cache.codings()
            deflate = Compressed(codings.deflate)
            jxl = Compressed(codings.jpegXL)
            keptJPEGs = codings.keptJPEGs.count
            (pinnedBytes, pinnedBy) = try cache.pins()
            self.sizeLimit = sizeLimit
        }
    }

    private let cache: DataCache
    private let sizeLimit: Int?

    /// Opens the cache of `manifest`, or the one in `folder`, or else the one that all jobs share.
    /// - Throws: `RunError.wrongInput` if there is none, `RunError.machine` if it cannot be opened.
    public init(_ manifest: Manifest?, folder: String?) throws(RunError) {
        let named = folder.map { FilePath.absolute($0, in: FileManager.default.currentDirectoryPath) }
        let path =
            named ?? manifest?.cache.directory
            ?? CacheSettings.defaultDirectory(environment: ProcessInfo.processInfo.environment)
        guard let opened = try DataCache.existing(in: path) else {
            throw .wrongInput("there is no cache in \(path): --cache names another folder")
        }
        cache = opened
        sizeLimit = manifest?.cache.sizeLimit
        // Do nothing in the background.
        cache.isSweepEnabled = false
    }

    /// Closes the cache.
    public func close() {
        cache.close()
    }

    /// Returns the totals of the cache.
    /// - Throws: `RunError.machine`.
    public func statistics() throws(RunError) -> Statistics {
        do { return try Statistics(cache, sizeLimit: sizeLimit) } catch { throw RunError(error) }
    }

    /// Calls `body` with each original whose URL contains `text` (`*` stands for anything; nil: all).
    /// - Throws: `RunError.machine`.
    public func forEach(_ text: String?, _ body: (Entry) -> Void) throws(RunError) {
        try forEachEntry(text) { body(Entry($0)) }
    }

    private func forEachEntry(_ text: String?, _ body: (DataCache.Entry) -> Void) throws(RunError) {
        let pattern = text.map(URLPattern.init)
        try RunError.wrapping {
            try cache.forEachEntry { entry in
                if pattern?.fits(entry.key) ?? true { body(entry) }
            }
        }
    }

    /// Returns the bytes of the original of `url`.
    /// - Throws: `RunError.wrongInput` if it is not cached.
    public func data(of url: String) throws(RunError) -> Data {
        if let data = cache.cachedData(for: url) { return data }
        var keys: [String] = []
        try forEachEntry(nil) { entry in
            // The item has its own headers.
            if entry.key.hasPrefix(url + "\n") { keys.append(entry.key) }
        }
        guard let key = keys.first, let data = cache.cachedData(for: key) else {
            throw .wrongInput("the cache \(cache.path.path) has no original of \(url)")
        }
        return data
    }

    /// Removes the originals whose URL contains `text` (`*` stands for anything), and returns their number.
    /// - Throws: `RunError.machine`.
    public func remove(_ text: String) throws(RunError) -> Int {
        var keys: [String] = []
        try forEachEntry(text) { keys.append($0.key) }
        for key in keys { cache.removeData(for: key) }
        cache.flush()
        return keys.count
    }

    /// Removes every original.
    public func removeAll() {
        cache.removeAll()
        cache.flush()
    }

    /// Reads every original and removes those that are damaged.
    /// - Returns: The number of originals read, and the keys of those removed.
    /// - Throws: `RunError.machine`.
    public func verify() throws(RunError) -> (count: Int, removed: [String]) {
        try RunError.wrapping {
            let (count, removed) = try cache.verify()
            return (count, removed.map(ItemListing.withoutUser))
        }
    }

    /// Removes the least recently used originals until all fit into `limit` bytes (nil: the manifest's limit).
    ///
    /// Pinned originals stay. Files left behind by interruptions are removed, too.
    /// - Returns: The number of originals removed; and if pinned ones alone exceed the limit, a sentence that says so.
    /// - Throws: `RunError.machine`.
    @discardableResult
    public func trim(to limit: Int?) throws(RunError) -> (removed: Int, warning: String?) {
        try RunError.wrapping {
            let (limit, before) = (limit ?? sizeLimit ?? .max, cache.totalCount)
            try cache.trim(to: limit)
            let removed = before - cache.totalCount
            guard cache.totalSize > limit else { return (removed, nil) }
            let (pinned, owners) = try cache.pins()
            return (
                removed,
                """
                the cache still has \(Quantity.bytes(cache.totalSize)), above \(Quantity.bytes(limit)), since \
                \(Quantity.bytes(pinned)) of it are pinned by \(owners.joined(separator: ", ")): run these jobs to make \
                their outputs, or remove originals with cache remove or cache clear
                """
            )
        }
    }
}

/// A part of a URL; with `*` for any text, a pattern for the whole URL.
private struct URLPattern {
    private let parts: [Substring]
    private let text: String

    init(_ text: String) {
        self.text = text
        parts = text.split(separator: "*", omittingEmptySubsequences: false)
    }

    func fits(_ url: String) -> Bool {
        guard parts.count > 1 else { return url.contains(text) }
        guard url.hasPrefix(parts[0]), url.hasSuffix(parts[parts.count - 1]) else { return false }
        var rest = url.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let found = rest.range(of: part) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= parts[parts.count - 1].count
    }
}
