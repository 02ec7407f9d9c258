import Foundation

/// Pins, which protect entries from eviction.
extension DataCache {
    /// Pins the entries of `keys`, stored or yet to be stored, so that they are not evicted until `owner` unpins them.
    ///
    /// The owner is a name that outlives the process, such as the path of a job, so that its next run can end what
    /// an interrupted one left. Pinned entries count towards the size limit; what no longer fits beside them is refused.
    /// - Throws: `DataCacheError`.
    public func pin(_ keys: [String], by owner: String) async throws(DataCacheError) {
        try await changeIndex(for: owner) { try await $0.pin(keys.compactMap(filename(for:)), by: owner) }
    }

    /// Ends the pins of `owner` on `keys`.
    /// - Throws: `DataCacheError`.
    public func unpin(_ keys: [String], by owner: String) async throws(DataCacheError) {
        try await changeIndex(for: owner) { try await $0.unpin(keys.compactMap(filename(for:)), by: owner) }
    }

    /// Ends all pins of `owner`.
    /// - Throws: `DataCacheError`.
    public func unpinAll(by owner: String) async throws(DataCacheError) {
        try await changeIndex(for: owner) { try await $0.unpin(nil, by: owner) }
    }

    /// Returns the bytes of all pinned entries, and the owners of the pins.
    /// - Throws: The error of SQLite if the index cannot be read.
    public func pins() throws -> (size: Int, owners: [String]) {
        try index.pins()
    }

    private func changeIndex(
        for owner: String,
        _ change: (DataCacheIndex) async throws -> Void
    ) async throws(DataCacheError) {
        do {
            let index = index
            do {
                try await change(index)
            } catch is IndexVanished {
                try opened.reopen(after: index)
                try await change(self.index)
            }
        } catch {
            throw .writing(key: "the pins of \(owner)", path: path.path, cause: error)
        }
    }
}
