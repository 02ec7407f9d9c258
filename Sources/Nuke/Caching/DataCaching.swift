public import Foundation

/// A cache of bytes that outlives the process.
///
/// Its methods may be called from any thread and return quickly. Stores and removals are visible at once to
/// later reads, however late they reach the disk.
public protocol DataCaching: Sendable {
    /// Returns the bytes stored for `key`; nil on a miss.
    func cachedData(for key: String) -> Data?

    /// True if there are bytes for `key`; need not read them.
    func containsData(for key: String) -> Bool

    /// Stores `data` for `key`, replacing an older entry.
    func storeData(_ data: Data, for key: String)

    /// Removes the entry for `key`; a key without an entry is no error.
    func removeData(for key: String)

    /// Removes everything.
    func removeAll()
}

extension DataCache: DataCaching {}
