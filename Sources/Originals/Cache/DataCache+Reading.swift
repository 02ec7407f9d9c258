package import Files
public import Foundation
import Synchronization

extension DataCache {
    /// The metadata of an entry: the first four properties are given with `store`, the others are set by the cache.
    public struct Metadata: Hashable, Sendable {
        /// The URL that answered, after redirects.
        public var finalURL: String?
        /// The `Content-Type` of the response.
        public var contentType: String?
        /// The `ETag` of the response, as it was sent.
        public var etag: String?
        /// The `Last-Modified` of the response, as it was sent.
        public var lastModified: String?
        /// The length in bytes; the file is smaller if compressed.
        public internal(set) var size = 0
        /// The 32 bytes of the SHA-256; empty before the entry was written.
        public package(set) var sha256 = Data()
        /// The time at which the bytes were stored.
        public internal(set) var created: Date?
        /// The time at which the origin sent the bytes, or last confirmed them.
        public internal(set) var answered: Date?
        /// The header fields of that answer on freshness, `Age`, `Cache-Control`, `Date` and `Expires`, and on use,
        /// `X-Robots-Tag`, as sent.
        var freshness = HeaderFields()

        /// Creates the metadata of a response.
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

    /// Returns the bytes stored for `key`, or nil on a miss; reads the file on the calling thread.
    ///
    /// Their length is compared with the index, and their SHA-256 if the file was changed or replaced since it was
    /// written, even under another name, or the cache was not closed the last time. Damaged entries are removed, and a miss.
    public func cachedData(for key: String) -> Data? {
        // A second look where file and row disagree: the entry may just have been replaced.
        for _ in 0..<2 {
            switch staging.withLock({ $0.changes.finding(for: key) }) {
            case .data(let data, _): return data
            case .absent: return nil
            case .unknown: break
            }
            guard let name = filename(for: key), let row = row(name) else { return nil }
            if let found = read(name, row) { return found.data }
        }
        guard let name = filename(for: key) else { return nil }
        Task { [index] in try? await index.mend(name) }
        return nil
    }

    private func read(_ name: String, _ row: DataCacheIndex.Row, mapped: Bool = false) -> EntryBytes? {
        let index = index
        let compares = settings.withLock { $0.comparesContents }
        guard let found = index.content(name, row, mapped: mapped, compares: compares) else { return nil }
        index.noteUse(of: name, found: found.stamp)
        if !found.isSettled { Task { try? await index.mend(name) } }
        return found.bytes
    }

    /// The bytes of an entry, and the mapping that they are read from if they are not in memory.
    struct EntryBytes: Sendable {
        let data: Data
        var mapping: MappedFile?
    }

    /// An entry that was found, whose bytes can be read without looking it up again.
    package struct FoundEntry: Sendable {
        /// Its metadata; a staged entry has no date, and a digest only if it was stored with one.
        package let metadata: Metadata
        fileprivate let key: String
        fileprivate let content: Content

        /// True once its file and its row in the index are written.
        package var isDurable: Bool {
            if case .stored = content { true } else { false }
        }

        /// True if its bytes can be mapped: they are many, and the file holds them as they are.
        package var isMappable: Bool {
            if case .stored(_, let row) = content { row.isMappable } else { false }
        }

        fileprivate enum Content {
            case staged(Data)
            case stored(name: String, DataCacheIndex.Row)
        }
    }

    /// Returns the entry for `key`, without its bytes; waits for the index on the calling thread.
    package func findEntry(for key: String) -> FoundEntry? {
        switch staging.withLock({ $0.changes.finding(for: key) }) {
        case .data(let data, var metadata):
            metadata.size = data.count
            return FoundEntry(metadata: metadata, key: key, content: .staged(data))
        case .absent: return nil
        case .unknown: break
        }
        guard let name = filename(for: key) else { return nil }
        do {
            guard let (row, metadata) = try index.entry(name) else { return nil }
            return FoundEntry(metadata: metadata, key: key, content: .stored(name: name, row))
        } catch {
            report(error, for: name)
            return nil
        }
    }

    /// Returns the bytes of an entry that was found; reads the file on the calling thread, as ``cachedData(for:)`` does.
    ///
    /// Large bytes are `mapped` if wanted. It is nil if the entry was damaged, removed or replaced by other bytes since.
    func bytes(of entry: FoundEntry, mapped: Bool) -> EntryBytes? {
        switch entry.content {
        case .staged(let data): return EntryBytes(data: data)
        case .stored(let name, let row):
            if let found = read(name, row, mapped: mapped) { return found }
            // The look that finds the entry again mends or drops it.
            guard let data = cachedData(for: entry.key),
                Data(Digest.sha256.bytes(of: data)) == entry.metadata.sha256
            else { return nil }
            return EntryBytes(data: data)
        }
    }

    /// Returns the file of the durable bytes for `key`, whose SHA-256 is `sha256` (hexadecimal), so that copies share them.
    ///
    /// It is nil if they are not durable yet, compressed, or in a file that was changed. A file that the cache maps may not
    /// be linked: truncating it under its other name would crash the process (`mmap(2)`).
    package func durableFile(for key: String, sha256: String) -> DurableFile? {
        guard case .unknown = staging.withLock({ $0.changes.finding(for: key) }),
            let name = filename(for: key), let row = row(name), row.length == nil,
            Digest.hex(row.sha256) == sha256
        else { return nil }
        return index.durableFile(name, row)
    }

    /// True if there are bytes for `key`; does not read them.
    public func containsData(for key: String) -> Bool {
        switch staging.withLock({ $0.changes.finding(for: key) }) {
        case .data: return true
        case .absent: return false
        case .unknown: break
        }
        guard let name = filename(for: key), let row = row(name) else { return false }
        return index.hasContent(name, row)
    }

    /// Returns the metadata of the durable entry for `key`; nil without one, or if it is only staged.
    public func metadata(for key: String) -> Metadata? {
        filename(for: key).flatMap { try? index.metadata($0) }
    }

    /// The number of entries, of all processes; those that are only staged are not counted.
    public var totalCount: Int { (try? index.totals())?.count ?? 0 }

    /// The bytes of all entries.
    public var totalSize: Int { (try? index.totals())?.size ?? 0 }

    /// The bytes that the files of all entries take on disk, in whole blocks; examines each file.
    public var totalAllocatedSize: Int { index.allocatedSize() }

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
