import Files
public import Foundation
import SQLite
import Synchronization

extension DataCache {
    /// What is known of an entry beside its bytes; the first four are given with `store`, the others by the cache.
    public struct Metadata: Hashable, Sendable {
        /// The URL that answered, after redirects.
        public var finalURL: String?
        /// The `Content-Type` of the response.
        public var contentType: String?
        /// The `ETag` of the response, as it was sent.
        public var etag: String?
        /// The `Last-Modified` of the response, as it was sent.
        public var lastModified: String?
        /// Length in bytes; the file is smaller where they are compressed.
        public internal(set) var size = 0
        /// The 32 bytes of the SHA-256; empty before the entry was written.
        public internal(set) var sha256 = Data()
        /// When the bytes were stored.
        public internal(set) var created: Date?
        /// When the origin sent the bytes, or last confirmed them.
        public internal(set) var answered: Date?
        /// What that answer said of its freshness, the fields `Age`, `Cache-Control`, `Date` and `Expires`, and of its use,
        /// `X-Robots-Tag`, as sent.
        var freshness = HeaderFields()

        /// What is known of a response.
        public init(
            finalURL: String? = nil,
            contentType: String? = nil,
            etag: String? = nil,
            lastModified: String? = nil
        ) {
            self.finalURL = finalURL
            self.contentType = contentType
            self.etag = etag
            self.lastModified = lastModified
        }
    }

    /// The bytes stored for `key`, or nil; reads the file on the calling thread.
    ///
    /// Their length is compared with the index, and their SHA-256 if the file was changed or replaced since it was
    /// written or the cache was not closed the last time. What is damaged is dropped and nil.
    public func cachedData(for key: String) -> Data? {
        // A second look where file and row disagree: the entry may just have been replaced.
        for _ in 0..<2 {
            switch staging.withLock({ $0.changes.finding(for: key) }) {
            case .data(let data): return data
            case .absent: return nil
            case .unknown: break
            }
            guard let name = filename(for: key), let row = row(name) else { return nil }
            let index = index
            guard let found = index.content(name, row) else { continue }
            index.noteUse(of: name, found: found.stamp)
            if !found.isSettled { Task { try? await index.mend(name) } }
            return found.data
        }
        guard let name = filename(for: key) else { return nil }
        Task { [index] in try? await index.mend(name) }
        return nil
    }

    /// Whether there are bytes for `key`, without reading them.
    public func containsData(for key: String) -> Bool {
        switch staging.withLock({ $0.changes.finding(for: key) }) {
        case .data: return true
        case .absent: return false
        case .unknown: break
        }
        guard let name = filename(for: key), let row = row(name) else { return false }
        return index.hasContent(name, row)
    }

    /// What is known of the durable entry for `key`; nil without one, or if it is only staged.
    public func metadata(for key: String) -> Metadata? {
        filename(for: key).flatMap { try? index.metadata($0) }
    }

    /// How many entries there are, in all processes; those that are only staged are not counted.
    public var totalCount: Int {
        (try? index.totals())?.count ?? 0
    }

    /// The bytes of all entries.
    public var totalSize: Int {
        (try? index.totals())?.size ?? 0
    }

    /// The bytes that the files of all entries take on the disk, in whole blocks; looks at each file.
    public var totalAllocatedSize: Int {
        index.allocatedSize()
    }

    private func row(_ name: String) -> DataCacheIndex.Row? {
        do {
            return try index.row(name)
        } catch {
            report(error, for: name)
            return nil
        }
    }

    private func report(_ cause: any Error, for name: String) {
        let error = DataCacheError.writing(key: name, path: path.path, cause: cause)
        staging.withLock { $0.failures.add(error, for: nil) }
    }
}
