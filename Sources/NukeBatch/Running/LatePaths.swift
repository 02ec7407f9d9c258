import JobStorage
import Nuke
import Synchronization

/// Who writes which path, of the paths that are known only when the picture is: `{hash}`, `{width}` and the like.
///
/// Equal bytes share a file; different ones would overwrite each other, so the second fails as `collision`.
final class LatePaths: Sendable {
    private struct Owner: Sendable {
        let item: Int64
        let sha256: String
    }

    private let owners = Mutex<[String: Owner]>([:])
    private let isRestored = Mutex(false)
    /// Of one thread, so that those who come meanwhile wait for the first.
    private let restoring = WorkQueue(name: "restore", width: 1)
    private let reader: JobReader

    /// Nothing is taken yet; `reader` knows what earlier runs wrote.
    init(_ reader: JobReader) {
        self.reader = reader
    }

    /// Takes over what earlier runs wrote, once: of a long job that takes a while, so it is for where a file is there
    /// already, without which no earlier item has its path.
    /// - Throws: `JobStoreError`, `CancellationError`.
    func restore() async throws {
        guard !isRestored.withLock({ $0 }) else { return }
        try await restoring.run { [self] in
            guard !isRestored.withLock({ $0 }) else { return }
            try reader.forEachItem(ItemFilter(states: [.done, .failed])) { item in
                for output in item.outputs where output.state == .done {
                    guard let path = output.path, let sha256 = output.sha256 else { continue }
                    // What this run has written since is newer.
                    owners.withLock { owners in
                        if owners[path] == nil { owners[path] = Owner(item: item.itemID, sha256: sha256) }
                    }
                }
            }
            isRestored.withLock { $0 = true }
        }
    }

    /// Claims `path` for a picture of `item`.
    /// - Throws: `ItemError` of code `collision` if another item has other bytes there.
    func take(_ path: String, sha256: String, item: Int64) throws(ItemError) {
        let isFree = owners.withLock { owners in
            if let owner = owners[path], owner.item != item, owner.sha256 != sha256 { return false }
            owners[path] = Owner(item: item, sha256: sha256)
            return true
        }
        guard !isFree else { return }
        throw ItemError(
            "collision",
            "another item has written other bytes to \(path): add {id} or {index} to the output's path"
        )
    }
}
