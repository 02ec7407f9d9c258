public import Dispatch
package import Files
public import Foundation
import Synchronization

/// A disk cache of bytes, bounded in size, with least-recently-used eviction.
///
/// Reads see new entries at once; they are written in the background, each file complete under its name or not
/// at all, even after a power cut. An index in the folder (`index.sqlite`) holds every entry, so counts,
/// sizes and evictions cost no scan, and damaged entries are detected on reading and removed. The size
/// limit holds at every write. Any number of processes may share one folder. All methods are safe to call from
/// any thread; those that wait for the disk say so.
public final class DataCache: Sendable {
    /// Returns the name of a key's file; nil for a key that cannot be stored.
    public typealias FilenameGenerator = @Sendable (_ key: String) -> String?

    /// The folder of the cache.
    public let path: URL

    /// The serial queue on which writes start; while it is suspended, changes stay staged.
    public let queue = DispatchQueue(label: "com.github.kean.Nuke.DataCache.WriteQueue", qos: .utility)

    let opened: OpenIndex
    /// The partial downloads that may become entries, in the same folder.
    public let partialDownloads: PartialDownloads
    let settings = Mutex(Settings())
    let staging = Mutex(Staging())
    /// Writes its files; others that write on the same file system share its syncs.
    package let writer = DurableWriter()
    /// Compresses what takes long, so that other entries need not wait for it.
    let compressing = OperationQueue()
    private let filenameGenerator: FilenameGenerator

    struct Settings {
        var sizeLimit = 150 * 1024 * 1024
        var sweepInterval: TimeInterval = 1800
        var isSweepEnabled = true
        var compression = EntryCompression.none
        var comparesContents = false
    }

    struct Staging {
        var changes = StagedChanges()
        var isBeginScheduled = false
        /// The callers that wait for room to stage more.
        var roomWaiters: [@Sendable () -> Void] = []
        var failures = WriteFailures()
    }

    /// Creates a cache called `name` in the user's cache folder (`$XDG_CACHE_HOME` or `~/.cache`).
    /// - Throws: `FileError` if the folder cannot be created, or an error of SQLite if its index cannot be opened.
    public convenience init(
        name: String,
        filenameGenerator: @escaping FilenameGenerator = DataCache.filename(for:)
    ) throws {
        let caches = try FileManager.default.url(
            for: .cachesDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: true
        )
        try self.init(path: caches.appendingPathComponent(name), filenameGenerator: filenameGenerator)
    }

    /// Creates a cache in the folder `path`, which is created if it is missing.
    ///
    /// After an unclean end, files without an entry are removed in the background, and the bytes of each entry are
    /// compared with their SHA-256 when they are first read.
    /// - Throws: `FileError` if the folder cannot be created, or an error of SQLite if its index cannot be opened.
    public init(path: URL, filenameGenerator: @escaping FilenameGenerator = DataCache.filename(for:)) throws {
        self.path = path
        self.filenameGenerator = filenameGenerator
        opened = try OpenIndex(path: path)
        partialDownloads = PartialDownloads(opened)
        compressing.maxConcurrentOperationCount = ProcessInfo.processInfo.activeProcessorCount
        let index = opened.current
        if index.endedUncleanly {
            Task { [index] in try? await index.sweep(limit: .max) }
            partialDownloads.scheduleSweep()
        }
        scheduleSweep(in: 5)
    }

    /// The most bytes of all entries, 150 MiB by default.
    ///
    /// It holds at every write; a lower limit takes effect at the next write or `sweep()`.
    public var sizeLimit: Int {
        get { settings.withLock { $0.sizeLimit } }
        set { settings.withLock { $0.sizeLimit = newValue } }
    }

    /// The seconds between two sweeps, half an hour by default.
    public var sweepInterval: TimeInterval {
        get { settings.withLock { $0.sweepInterval } }
        set { settings.withLock { $0.sweepInterval = newValue } }
    }

    /// True if the cache sweeps by itself, which is the default.
    public var isSweepEnabled: Bool {
        get { settings.withLock { $0.isSweepEnabled } }
        set { settings.withLock { $0.isSweepEnabled = newValue } }
    }

    /// True if new entries are compressed when that makes them smaller (RFC 1951); false by default.
    ///
    /// Reads support both. Sizes and the limit count the bytes of the files.
    public var isCompressionEnabled: Bool {
        get { compression != .none }
        set { compression = newValue ? .deflate : .none }
    }

    /// The compression of new entries; a change also applies to those that still wait for it.
    package var compression: EntryCompression {
        get { settings.withLock { $0.compression } }
        set { settings.withLock { $0.compression = newValue } }
    }

    /// True if the bytes of every entry that is read are compared with their SHA-256, whether or not its file has changed; false by
    /// default.
    package var comparesContents: Bool {
        get { settings.withLock { $0.comparesContents } }
        set { settings.withLock { $0.comparesContents = newValue } }
    }

    /// Returns the name of the file for `key`: the SHA-1 of its UTF-8 bytes in lower-case hexadecimal, nil for an empty key.
    @Sendable public static func filename(for key: String) -> String? {
        key.isEmpty ? nil : Digest.sha1.hex(of: key)
    }

    /// Returns the name of the file for `key` by the cache's generator; nil for a name that is not valid.
    public func filename(for key: String) -> String? {
        guard let name = filenameGenerator(key), !name.isEmpty, name != ".", name != "..",
            !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
        else { return nil }
        return name
    }

    /// Returns the URL of the file for `key`, whether or not it exists; nil for a key without a file name.
    public func url(for key: String) -> URL? {
        filename(for: key).map { path.appendingPathComponent(DataCacheIndex.filePath($0)) }
    }

    /// The bytes stored for `key`; setting nil removes them.
    public subscript(key: String) -> Data? {
        get { cachedData(for: key) }
        set {
            if let newValue { storeData(newValue, for: key) } else { removeData(for: key) }
        }
    }

    /// Stages `data` for `key`; waits for the disk only if too much is staged.
    public func storeData(_ data: Data, for key: String) {
        waitForRoom()
        stage(.store(data, Metadata(), owner: nil), for: key)
    }

    /// Stages the removal of the entry for `key`.
    public func removeData(for key: String) {
        stage(.remove, for: key)
    }

    /// Stages the removal of everything; entries stored afterwards stay.
    public func removeAll() {
        let dropped = staging.withLock { $0.changes.removeAll() }
        partialDownloads.removeAll()
        begin()
        for (key, call) in dropped { call(.failure(.removed(key: key))) }
    }

    func stage(_ content: StagedChanges.Content, for key: String, _ waiter: StagedChanges.Waiter? = nil) {
        staging.withLock { staging in
            staging.changes.add(content, for: key)
            staging.failures.forget(key)
            if let waiter { _ = staging.changes.wait(for: key, waiter) }
        }
        begin()
    }

    var index: DataCacheIndex { opened.current }

    /// The folder for bodies while they arrive: a stored one becomes the cache's by getting a name there.
    package var bodyFolder: Folder { index.folder }

    /// Starts to write the staged changes on `queue`.
    func begin() {
        let isScheduled = staging.withLock { exchange(&$0.isBeginScheduled, with: true) }
        if !isScheduled { queue.async { self.beginSteps() } }
    }

    private func beginSteps() {
        staging.withLock { $0.isBeginScheduled = false }
        // As many at once as keep the writer's threads busy, with two descriptors each; the rest waits where a later
        // change can replace it.
        while let step = staging.withLock({ $0.changes.next(limit: 128) }) { perform(step) }
    }
}
