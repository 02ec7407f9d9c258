import Files
public import Foundation
import Synchronization

/// The partial downloads of a ``DataCache``: beginnings of large downloads in its folder, which later loads resume, even
/// those of another process.
///
/// A pipeline with a `DataCache` writes a body of 1 MiB or more there while it arrives, piece by piece, and removes it once
/// the whole is stored; shorter ones never touch the disk. Size and age are bounded, and the oldest is evicted
/// first. Each is a file, and a row in the cache's index with the number of durable bytes and their SHA-256:
/// a torn or changed file is not used. A download has one holder at a time, across processes;
/// another of the same key does without. All methods are safe to call from any thread.
public final class PartialDownloads: Sendable {
    /// The least size of a body that is kept here, 1 MiB: loading smaller ones again costs little.
    public static let minimumSize = 1024 * 1024

    private struct Settings {
        var sizeLimit = 256 * 1024 * 1024
        var ageLimit: TimeInterval = 7 * 86400
        /// The number of pending changes by name.
        var pending: [String: Int] = [:]
    }

    private let opened: OpenIndex
    private let settings = Mutex(Settings())
    private let thread = SerialThread(name: "partial-downloads")

    init(_ opened: OpenIndex) {
        self.opened = opened
    }

    /// The most bytes of all partial downloads, 256 MiB by default; the cache does not count them.
    ///
    /// It holds at every write; a download that does not fit beside running ones is not kept.
    public var sizeLimit: Int {
        get { settings.withLock { $0.sizeLimit } }
        set { settings.withLock { $0.sizeLimit = newValue } }
    }

    /// The seconds after the last byte until a partial download is dropped, a week by default.
    public var ageLimit: TimeInterval {
        get { settings.withLock { $0.ageLimit } }
        set { settings.withLock { $0.ageLimit = newValue } }
    }

    private var index: DataCacheIndex { opened.current }
    private var parent: Folder { index.folder }

    /// The number of partial downloads, of all processes; waits for the disk.
    public var totalCount: Int { (try? index.partials())?.count ?? 0 }

    /// The bytes of all partial downloads; waits for the disk.
    public var totalSize: Int { (try? index.partials())?.reduce(0) { $0 + $1.size } ?? 0 }

    /// Removes the partial download of `key`, unless it is being loaded.
    public func removeData(for key: String) {
        let name = Self.name(of: key)
        perform(name) { self.remove(name) }
    }

    /// Removes all partial downloads that are not being loaded.
    public func removeAll() {
        thread.add { for row in (try? self.index.partials()) ?? [] { self.remove(row.name) } }
    }

    /// Returns the download of `key` with the part on disk, unless another holds it; nil if nothing is there, as for most.
    func download(for key: String) async -> PartialDownload? {
        let name = Self.name(of: key)
        let isPending = settings.withLock { $0.pending[name] != nil }
        guard isPending || ((try? parent.examine("partial/" + name)) ?? nil) != nil else { return nil }
        let file = PartialFile(name: name, key: key, in: self)
        return await withCheckedContinuation { continuation in
            let isAccepted = perform(name) {
                continuation.resume(returning: PartialDownload(file, resumable: file.open()))
            }
            if !isAccepted { continuation.resume(returning: nil) }
        }
    }

    /// Begins a download of `key` of which nothing is on disk yet.
    func begin(_ key: String) -> PartialDownload {
        PartialDownload(PartialFile(name: Self.name(of: key), key: key, in: self), resumable: nil)
    }

    /// Does `work` for the file `name` on the thread of all of them.
    @discardableResult
    func perform(_ name: String, _ work: @escaping @Sendable () -> Void) -> Bool {
        settings.withLock { $0.pending[name, default: 0] += 1 }
        let done: @Sendable () -> Void = { [self] in
            settings.withLock { settings in
                let count = settings.pending[name, default: 1] - 1
                settings.pending[name] = count == 0 ? nil : count
            }
        }
        let isAccepted = thread.add {
            work()
            done()
        }
        if !isAccepted { done() }
        return isAccepted
    }

    /// Waits until all pending writes and removals are done.
    ///
    /// Blocks the calling thread.
    public func waitUntilWritten() {
        let done = DispatchSemaphore(value: 0)
        if thread.add({ done.signal() }) { done.wait() }
    }

    /// Ends what is under way; nothing is kept from then on.
    ///
    /// Blocks the calling thread.
    func close() {
        thread.close()
    }

    /// Has ``sweep()`` done on the thread.
    func scheduleSweep() {
        thread.add { try? self.sweep() }
    }

    private static func name(of key: String) -> String {
        Digest.sha1.hex(of: key)
    }
}

/// The work done on the thread.
extension PartialDownloads {
    /// Returns the file and the row of `name`; nil without either, or if another holder has the file.
    func hold(_ name: String) throws -> (file: HeldFile, row: PartialRow?)? {
        guard let file = try HeldFile(name, in: try parent.folder("partial")) else { return nil }
        return (file, try index.partials().first { $0.name == name })
    }

    /// Creates the file of a new download; nil if another holder has it.
    func make(_ name: String) throws -> HeldFile? {
        let folder = try parent.folder("partial", create: true)
        let file = try HeldFile(name, in: folder, create: true)
        try folder.sync()
        return file
    }

    /// Drops the oldest, and those over the age limit, so that `bytes` more fit for the file `name`; false if they cannot.
    func makeRoom(for bytes: Int, of name: String) throws -> Bool {
        let (limit, age) = settings.withLock { ($0.sizeLimit, $0.ageLimit) }
        let rows = try index.partials()
        var size = rows.reduce(bytes) { $0 + $1.size }
        for row in rows where row.name != name {
            guard size > limit || row.isOlder(than: age) else { continue }
            if remove(row.name) { size -= row.size }
        }
        return size <= limit
    }

    /// Makes `row` the row of its file, durably.
    func record(_ row: PartialRow) throws {
        try index.record(row)
    }

    /// Removes a file that is held, its row first.
    func remove(_ name: String, _ file: HeldFile) throws {
        try index.removePartial(name)
        try file.remove()
    }

    /// Removes a file and its row, unless it is held.
    @discardableResult
    private func remove(_ name: String) -> Bool {
        // One that is missing is made, to be held.
        guard let folder = try? parent.folder("partial", create: true),
            let file = try? HeldFile(name, in: folder, create: true)
        else { return false }
        return (try? remove(name, file)) != nil
    }

    /// Removes what is too old or over the limit, files without a row, which an interruption leaves behind, and rows
    /// without a file.
    private func sweep() throws {
        guard let folder = try? parent.folder("partial") else { return }
        _ = try makeRoom(for: 0, of: "")
        let (rows, files) = (Set(try index.partials().map(\.name)), Set(try folder.names()))
        for name in rows.symmetricDifference(files) { remove(name) }
    }
}
