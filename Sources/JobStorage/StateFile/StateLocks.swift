import Files

/// The locks of states that are not opened: no run changes these states while this exists.
public struct StateLocks: Sendable {
    private let locks: [FileLock]

    /// Locks the states at `paths`, except those that the lock of the state at `own`, which the caller holds, is for, too.
    /// - Throws: `JobStoreError`.
    public init(_ paths: [String], besides own: String) throws(JobStoreError) {
        // States whose names have no extension share the lock of their job.
        var locked: Set = [StateFile(path: own).lockPath]
        var locks: [FileLock] = []
        for file in paths.map(StateFile.init) where locked.insert(file.lockPath).inserted {
            locks.append(try file.lock())
        }
        self.locks = locks
    }
}
