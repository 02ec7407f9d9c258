/// The place for the beginning of a download that breaks off: in memory, or in the cache if it is long.
package struct Remainder: Sendable {
    /// The owner of what is kept in memory, and its name there; nil to keep nothing there.
    package var memory: (owner: ObjectIdentifier, name: String)?
    /// The cache, and the key of the whole there; nil to keep nothing on disk.
    package var disk: (cache: DataCache, key: String)?

    package init(memory: (owner: ObjectIdentifier, name: String)?, disk: (cache: DataCache, key: String)?) {
        self.memory = memory
        self.disk = disk
    }

    /// The partial download that is on disk; nil for none, and without a cache.
    func onDisk() async -> PartialDownload? {
        guard let disk else { return nil }
        return await disk.cache.partialDownloads.download(for: disk.key)
    }

    /// Begins a partial download on disk; nil without a cache.
    func beginOnDisk() -> PartialDownload? {
        disk.map { $0.cache.partialDownloads.begin($0.key) }
    }

    /// Takes the beginning that an earlier download left in memory.
    func takeFromMemory() -> ResumableData? {
        memory.flatMap { ResumableStorage.shared.take($0.name, of: $0.owner) }
    }

    /// Keeps a beginning in memory for the next download.
    func keepInMemory(_ data: ResumableData?) {
        guard let data, let memory else { return }
        ResumableStorage.shared.keep(data, memory.name, of: memory.owner)
    }
}
