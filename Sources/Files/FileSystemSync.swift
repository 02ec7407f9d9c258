import CFiles
import Foundation
import Synchronization

/// Syncs a whole file system where that is cheaper than many of its files, and as safe.
///
/// A sync of a file writes its inode and waits for the disk, so a hundred small files cost as much as a hundred syncs of
/// everything. A whole sync waits for what other programs have written as well: where that takes long, files are synced by
/// themselves for a while. May be used from any thread.
final class FileSystemSync: Sendable {
    /// Fewer files are synced by themselves.
    private static let least = 4
    /// What a sync may take before there is a pause, and how long that is.
    private static let (patience, pause) = (Duration.seconds(1), Duration.seconds(60))
    private let pausedUntil = Mutex<ContinuousClock.Instant?>(nil)

    /// Whether so many files that go below `folder` are to be synced together.
    func suits(_ count: Int, in folder: Folder) -> Bool {
        guard count >= Self.least else { return false }
        if let end = pausedUntil.withLock({ $0 }), ContinuousClock.now < end { return false }
        return nb_syncs_file_system(folder.descriptor) == 1
    }

    /// Makes the files, all other files of their file system and their names durable (`syncfs`, Linux 5.8).
    ///
    /// Answers false where that failed or another file system is mounted below their folder: each is then to be synced by
    /// itself, which tells whose fault it was.
    func sync(_ files: [NewFile]) -> Bool {
        guard files.count >= Self.least, let first = files.first,
            files.allSatisfy({ $0.parent.device == first.parent.device })
        else { return false }
        let start = ContinuousClock.now
        // The file's sync flushes the disk's cache: that of ext4 without a journal does not do it last.
        let isDone = nb_sync_file_system(first.descriptor) == 0 && fsync(first.descriptor) == 0
        let end = ContinuousClock.now
        if end - start > Self.patience { pausedUntil.withLock { $0 = end + Self.pause } }
        return isDone
    }
}
