/// An error of a cache that did not store something.
public enum DataCacheError: Error, Sendable, CustomStringConvertible {
    /// The key has no file name, such as the empty key, or its generator returned an invalid name.
    case noFileName(key: String)
    /// The data does not fit: it is larger than the size limit, or pinned entries take the room; in bytes.
    case noRoom(key: String, size: Int, limit: Int, path: String)
    /// The file or the index of the cache at `path` could not be written.
    case writing(key: String, path: String, cause: any Error)
    /// The data was removed before it was written.
    case removed(key: String)
    /// Nothing is stored for the key.
    case notStored(key: String)

    /// One sentence with the failure, the place and the remedy.
    public var description: String {
        switch self {
        case .noFileName(let key):
            "the cache has no file name for the key \"\(key)\": use a key that is not empty"
        case .noRoom(let key, let size, let limit, let path):
            """
            no room for \(size) bytes of \(key) in the cache \(path), which holds \(limit) bytes: \
            raise its size limit or end the jobs that keep their originals in it
            """
        case .writing(let key, let path, let cause): "cannot write \(key) to the cache \(path): \(cause)"
        case .removed(let key): "\(key) was removed from the cache before it was written"
        case .notStored(let key): "\(key) was never stored in the cache, or was evicted from it"
        }
    }
}
