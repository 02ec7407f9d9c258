public import Foundation

/// A cache of bytes that outlives the process.
///
/// Its methods may be called from any thread and answer quickly. What was stored or removed is seen at once by
/// the reads that follow, however late it reaches the disk.
public protocol DataCaching: Sendable {
    /// The bytes stored for `key`, or nil.
    func cachedData(for key: String) -> Data?

    /// Whether there are bytes for `key`; they need not be read for it.
    func containsData(for key: String) -> Bool

    /// Stores `data` for `key`, in place of what was stored before.
    func storeData(_ data: Data, for key: String)

    /// Removes what is stored for `key`; a key without data is no error.
    func removeData(for key: String)

    /// Removes everything.
    func removeAll()
}
