import CFiles
import Foundation
import Synchronization

/// Syncs a whole file system when that is as safe as syncing many of its files and cheaper.
///
/// A sync of a file writes its inode and waits for the disk, so a hundred small files cost as much as a hundred syncs
/// of everything. A sync of the whole file system also waits for data of other programs. If that takes long, files are
/// synced individually for a while. May be used from any thread.
final class FileSystemSync: Sendable {
    /// The smallest batch that is synced together.
    private static let least = 4
    /// The longest duration of a sync that causes no pause, and the duration of the pause.
    private static let (patience, pause) = (Duration.seconds(1), Duration.seconds(60))
    private let pausedUntil = Mutex<ContinuousClock.Instant?>(nil)

    /// True if `count` files below `folder` should be synced together.
    func suits(_ count: Int, in folder: Folder) -> Bool {
        guard count >= Self.least else { return false }
        if let end = pausedUntil.withLock({ $0 }), ContinuousClock.now < end { return false }
        return nb_syncs_file_system(folder.descriptor) == 1
    }

    /// Makes the files, all other files of their file system, and their names durable (`syncfs`, Linux 5.8).
    ///
    /// Returns false if that failed or another file system is mounted below their folder. Each file must then be synced
    /// individually, which also attributes errors to the right file.
    func sync(_ files: [NewFile]) -> Bool {
        guard files.count >= Self.least, let first = files.first,
            files.allSatisfy({ $0.parent.device == first.parent.device })
        else { return false }
        let start = ContinuousClock.now
        // The file's own sync flushes the disk's cache, which `syncfs` on ext4 without a journal does not do last.
        let isDone = nb_sync_file_system(first.descriptor) == 0 && fsync(first.descriptor) == 0
        let end = ContinuousClock.now
        if end - start > Self.patience { pausedUntil.withLock { $0 = end + Self.pause } }
        return isDone
    }
}
