package import Files
public import Foundation
import Synchronization

extension DataCache {
    /// The most bytes that wait to be written; a store beyond it waits for the disk.
    static let stagingLimit = 64 * 1024 * 1024
    /// The most open files that wait to get their names; a store beyond them waits for the disk.
    static let stagedFileLimit = ProcessLimits.descriptors(atMost: 128)

    /// Stores `data` for `key` and returns when it is durable: when its file and its row in the index are.
    ///
    /// With `owner` (a job's path, say) the entry is pinned for it in the same commit.
    /// - Throws: `DataCacheError`; `.removed` if a later removal came before the write.
    public func store(
        _ data: Data,
        for key: String,
        metadata: Metadata = Metadata(),
        pinnedBy owner: String? = nil
    ) async throws(DataCacheError) {
        await room()
        // A digest in it is that of another entry's bytes.
        var metadata = metadata
        metadata.sha256 = Data()
        let result = await withCheckedContinuation { continuation in
            stage(.store(data, metadata, owner: owner), for: key) { continuation.resume(returning: $0) }
        }
        try result.get()
    }

    /// Stages `data` for `key`, as `storeData` does, but waits for room without holding a thread.
    public func stage(_ data: Data, for key: String, metadata: Metadata = Metadata()) async {
        // A digest in it is that of another entry's bytes.
        var metadata = metadata
        metadata.sha256 = Data()
        await stage(data, for: key, metadata: metadata, replacing: nil)
    }

    /// Stages `data`, with its SHA-256 in `metadata` if that is known, and drops a partial download when the whole is durable.
    ///
    /// With `owner`, the entry is pinned for it in the same commit. A `file` that holds `data` becomes the entry's file, unless the bytes are compressed.
    package func stage(
        _ data: Data,
        for key: String,
        metadata: Metadata,
        pinnedBy owner: String? = nil,
        file: UnnamedFile? = nil,
        replacing partial: PartialDownload?
    ) async {
        await room()
        // With a file that nobody needs, the bytes would count as none.
        let file = isCompressionEnabled ? nil : file
        let content = StagedChanges.Content.store(data, metadata, owner: owner, file: file)
        guard let partial else { return stage(content, for: key) }
        stage(content, for: key) { _ in partial.startOver() }
    }

    /// Waits until the change staged for `key` is durable; returns at once if it already is.
    /// - Throws: `DataCacheError`: the failure of the key's last write, or that nothing is stored.
    public func waitUntilStored(_ key: String) async throws(DataCacheError) {
        if let staged = stagedChange(for: key) { return try await staged.result.get() }
        if let failure = staging.withLock({ $0.failures.last(for: key) }) { throw failure }
        guard containsData(for: key) else { throw .notStored(key: key) }
    }

    /// Returns the change that is staged for `key`, which can be waited for also after its end; nil if none is.
    package func stagedChange(for key: String) -> StagedChange? {
        let change = StagedChange()
        return staging.withLock { $0.changes.wait(for: key) { change.end($0) } } ? change : nil
    }

    /// Calls `completion` when the staged changes for `key` are durable or have failed; at once if there are none.
    package func whenSettled(_ key: String, _ completion: @escaping @Sendable () -> Void) {
        let isWaiting = staging.withLock { $0.changes.wait(for: key) { _ in completion() } }
        if !isWaiting { completion() }
    }

    /// The reason of the last failed write or read of any key; nil if none has failed.
    public var lastError: DataCacheError? { staging.withLock { $0.failures.last } }

    /// The number of writes and reads that have failed since the cache was opened.
    public var errorCount: Int { staging.withLock { $0.failures.count } }

    /// Waits until all staged changes are durable, or have failed and been reported.
    ///
    /// Blocks the calling thread; not to be called on `queue`.
    public func flush() {
        let done = DispatchSemaphore(value: 0)
        let count = staging.withLock { staging in
            let keys = staging.changes.keys
            for key in keys { _ = staging.changes.wait(for: key) { _ in done.signal() } }
            return keys.count + (staging.changes.waitForRemoval { _ in done.signal() } ? 1 : 0)
        }
        for _ in 0..<count { done.wait() }
    }

    /// Waits until the change staged for `key` is durable; a staged removal of everything comes first.
    ///
    /// Blocks the calling thread; not to be called on `queue`.
    public func flush(for key: String) {
        let done = DispatchSemaphore(value: 0)
        let isWaiting = staging.withLock { staging in
            staging.changes.wait(for: key) { _ in done.signal() }
                || staging.changes.waitForRemoval { _ in done.signal() }
        }
        if isWaiting { done.wait() }
    }

    /// Evicts entries to make room, and removes files that an interruption left without an entry.
    ///
    /// If the size limit was reached since the last such sweep, it evicts the least recently used entries until 70 % of
    /// the limit are in use. Automatic sweeps evict only the excess over the limit. Blocks the calling thread.
    public func sweep() {
        do {
            let index = index
            do {
                try index.sweepNow(limit: sizeLimit)
            } catch is IndexVanished {
                try opened.reopen(after: index)
            }
        } catch {
            let failure = DataCacheError.writing(key: "the sweep", path: path.path, cause: error)
            staging.withLock { $0.failures.add(failure, for: nil) }
        }
        partialDownloads.scheduleSweep()
    }

    /// Makes all that is staged durable and closes the index; later stores fail, and later reads find nothing.
    ///
    /// Blocks the calling thread. A cache that is closed, or freed, is trusted when it is opened again.
    public func close() {
        flush()
        partialDownloads.close()
        opened.close()
    }

    func waitForRoom() {
        let room = DispatchSemaphore(value: 0)
        while staging.withLock({ $0.waitForRoom { room.signal() } }) { room.wait() }
    }

    /// Sweeps `delay` seconds from now and then once an interval, if no process has done it meanwhile.
    func scheduleSweep(in delay: TimeInterval) {
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self else { return }
            let (limit, interval, isEnabled) = settings.withLock {
                ($0.sizeLimit, max($0.sweepInterval, 1), $0.isSweepEnabled)
            }
            scheduleSweep(in: interval)
            let last = (try? index.totals())?.lastSweep ?? 0
            guard isEnabled, DataCacheIndex.now() - last >= Int64(interval * 1_000_000) else { return }
            Task { [index] in try? await index.sweep(limit: limit) }
            partialDownloads.scheduleSweep()
        }
    }

    private func room() async {
        while true {
            let mustWait = await withCheckedContinuation { continuation in
                let isFull = staging.withLock { $0.waitForRoom { continuation.resume(returning: true) } }
                if !isFull { continuation.resume(returning: false) }
            }
            if !mustWait { return }
        }
    }
}

extension DataCache.Staging {
    /// True if so much is staged that the caller must wait; then, and only then, `call` is called once there is room.
    mutating func waitForRoom(_ call: @escaping @Sendable () -> Void) -> Bool {
        guard isFull else { return false }
        roomWaiters.append(call)
        return true
    }

    private var isFull: Bool {
        changes.amount.bytes >= DataCache.stagingLimit || changes.amount.files >= DataCache.stagedFileLimit
    }

    /// Removes and returns the waiters that may continue now.
    mutating func takeRoomWaiters() -> [@Sendable () -> Void] {
        isFull ? [] : exchange(&roomWaiters, with: [])
    }
}

/// The failed writes: their number, and the last reasons.
struct WriteFailures {
    /// The keys whose reasons are kept.
    private static let limit = 1000

    private(set) var count = 0
    private(set) var last: DataCacheError?
    private var byKey: [String: DataCacheError] = [:]
    private var order: ArraySlice<String> = []

    mutating func add(_ error: DataCacheError, for key: String?) {
        count += 1
        last = error
        guard let key else { return }
        if byKey.updateValue(error, forKey: key) == nil { order.append(key) }
        if order.count > Self.limit, let oldest = order.popFirst() { byKey[oldest] = nil }
    }

    func last(for key: String) -> DataCacheError? {
        byKey[key]
    }

    /// A new write of `key` begins.
    mutating func forget(_ key: String) {
        guard !byKey.isEmpty, byKey.removeValue(forKey: key) != nil else { return }
        order.removeAll { $0 == key }
    }
}
