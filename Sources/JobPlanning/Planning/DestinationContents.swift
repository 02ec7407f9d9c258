import Files
import JobManifest
import ObjectStorage
import Synchronization

/// The contents of a destination, as far as recorded outputs are looked for there: names and sizes.
///
/// A folder is asked for each name: its listing has no sizes, and takes a quarter of the time in addition. A bucket is listed.
enum DestinationContents: Sendable {
    /// A folder; nil if it is not there, and nothing that it holds.
    case folder(Folder?)
    /// The hashes of the keys of a bucket, with the objects' sizes and without.
    case bucket(HashSet64)

    /// Opens the folder, or lists the bucket; what is listed is kept on the file system of the state at `path`.
    /// - Throws: `RunError.machine` if that is not possible.
    init(_ manifest: Manifest, state path: String) async throws(RunError) {
        let found = Mutex(HashSet64())
        let prefix = manifest.destination.bucket?.appending("").key ?? ""
        let listing = try manifest.destinationListing { page in
            found.withLock { found in
                for entry in page where entry.key.utf8.starts(with: prefix.utf8) {
                    let key = entry.key.utf8.dropFirst(prefix.utf8.count)
                    _ = found.insert(Self.hash(key, size: entry.facts.size))
                    _ = found.insert(Self.hash(key, size: nil))
                }
            }
            return []
        }
        guard let listing else {
            self = .folder(try Self.open(manifest.destination.description))
            return
        }
        do {
            _ = try await listing.list(in: Folder(path: Folder.enclosing(path)))
        } catch {
            throw .machine("\(error): the outputs cannot be looked at; run again, or without --check")
        }
        self = .bucket(found.withLock { $0 })
    }

    private static func open(_ path: String) throws(RunError) -> Folder? {
        do throws(FileError) {
            return try Folder(path: path)
        } catch {
            guard error.isMissing else { throw Self.error(error) }
            return nil
        }
    }

    /// Returns true if a file or an object with `size` bytes, or of any size for nil, is at a path.
    /// - Throws: `RunError.machine` if that cannot be told.
    func holds(_ path: String, size: Int?) throws(RunError) -> Bool {
        switch self {
        case .folder:
            guard let found = try self.size(of: path) else { return false }
            return size.map { $0 == found } ?? true
        case .bucket(let found): return found.contains(Self.hash(path.utf8, size: size))
        }
    }

    /// Returns the size of a file of a folder; nil if none is at the path, and for a bucket.
    /// - Throws: `RunError.machine` if that cannot be told.
    func size(of path: String) throws(RunError) -> Int? {
        guard case .folder(let folder) = self else { return nil }
        do throws(FileError) {
            return try folder?.sizeOfFile(path).flatMap { $0 >= 0 ? $0 : nil }
        } catch {
            throw Self.error(error)
        }
    }

    private static func error(_ error: FileError) -> RunError {
        .machine("\(error): the outputs cannot be looked at; mend that, or run with --skip-check")
    }

    /// By bytes: strings that differ only in how they compose characters are different keys.
    private static func hash(_ path: some Collection<UInt8>, size: Int?) -> UInt64 {
        var hasher = Hasher()
        for byte in path { hasher.combine(byte) }
        hasher.combine(size)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
