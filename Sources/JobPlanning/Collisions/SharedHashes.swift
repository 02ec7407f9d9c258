import Foundation
import Glibc

/// Finds the hashes that have more than one owner, among any number of them, in a few megabytes of memory.
///
/// The hashes are partitioned by their first byte. Those that do not fit in memory are written to an unnamed file in
/// the temporary folder, 16 bytes each. At the end, the partitions are searched one by one.
struct SharedHashes: Sendable {
    /// A hash and the number of its owner.
    private struct Entry: Sendable {
        let hash: UInt64
        let owner: UInt64
    }

    private struct Part: Sendable {
        var entries: [Entry] = []
        /// The positions of the partition's blocks in the file, in blocks.
        var blocks: [UInt32] = []
    }

    /// The number of entries in a block of 8 KiB.
    private static let blockSize = 512

    private var parts = [Part](repeating: Part(), count: 256)
    private var file: SpoolFile?
    private var blockCount = 0

    /// Adds the hash of an owner; all bits of the hash must be well distributed.
    /// - Throws: `RunError.machine` if the temporary folder is not writable.
    mutating func add(_ hash: UInt64, of owner: UInt64) throws(RunError) {
        let part = Int(hash >> 56)
        parts[part].entries.append(Entry(hash: hash, owner: owner))
        guard parts[part].entries.count == Self.blockSize else { return }
        let file = if let open = self.file { open } else { try SpoolFile() }
        self.file = file
        guard parts[part].entries.withUnsafeBytes({ file.write($0, as: blockCount) }) else {
            throw SpoolFile.failure("written")
        }
        parts[part].blocks.append(UInt32(blockCount))
        blockCount += 1
        parts[part].entries.removeAll(keepingCapacity: true)
    }

    /// Returns the hashes that were added with different owners, and discards the others.
    /// - Throws: `RunError.machine` if the file cannot be read.
    mutating func finish() throws(RunError) -> HashSet64 {
        var shared = HashSet64()
        for part in parts.indices {
            let entries = try entries(of: part)
            parts[part] = Part()
            Self.search(entries, &shared)
        }
        file = nil
        return shared
    }

    private func entries(of part: Int) throws(RunError) -> [Entry] {
        guard let file, !parts[part].blocks.isEmpty else { return parts[part].entries }
        var entries = [Entry](
            repeating: Entry(hash: 0, owner: 0),
            count: parts[part].blocks.count * Self.blockSize
        )
        let size = Self.blockSize * MemoryLayout<Entry>.stride
        for (slot, block) in parts[part].blocks.enumerated() {
            let isRead = entries.withUnsafeMutableBytes { bytes in
                let room = bytes[(slot * size)..<((slot + 1) * size)]
                return file.read(Int(block), into: UnsafeMutableRawBufferPointer(rebasing: room))
            }
            guard isRead else { throw SpoolFile.failure("read") }
        }
        return entries + parts[part].entries
    }

    /// Open addressing with linear probing, in a table that is at most half full; the hash 0 counts as 1.
    private static func search(_ entries: [Entry], _ shared: inout HashSet64) {
        guard entries.count > 1 else { return }
        var slots = 16
        while slots < entries.count * 2 { slots *= 2 }
        var table = [Entry](repeating: Entry(hash: 0, owner: 0), count: slots)
        for entry in entries {
            let hash = max(1, entry.hash)
            var slot = Int(truncatingIfNeeded: hash) & (slots - 1)
            while table[slot].hash != 0, table[slot].hash != hash { slot = (slot + 1) & (slots - 1) }
            if table[slot].hash == 0 {
                table[slot] = Entry(hash: hash, owner: entry.owner)
            } else if table[slot].owner != entry.owner {
                _ = shared.insert(entry.hash)
            }
        }
    }
}

/// An unnamed file of blocks of one size, which disappears with the process, however it ends.
private final class SpoolFile: Sendable {
    private let descriptor: Int32
    private static let folder = FileManager.default.temporaryDirectory.path

    init() throws(RunError) {
        var name = Array("\(Self.folder)/nuke-batch-hashes-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else { throw Self.failure("created") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(name)
    }

    deinit {
        close(descriptor)
    }

    /// Writes the block with this number; on failure, returns false and sets `errno`.
    func write(_ bytes: UnsafeRawBufferPointer, as block: Int) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return Self.all(bytes.count) {
            pwrite(descriptor, base + $0, bytes.count - $0, block * bytes.count + $0)
        }
    }

    /// Reads the block with this number; on failure, returns false and sets `errno`.
    func read(_ block: Int, into bytes: UnsafeMutableRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        return Self.all(bytes.count) {
            pread(descriptor, base + $0, bytes.count - $0, block * bytes.count + $0)
        }
    }

    /// Calls `step` with the number of bytes done until it is `count`.
    private static func all(_ count: Int, _ step: (Int) -> Int) -> Bool {
        var done = 0
        while done < count {
            let more = step(done)
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { return false }
            done += more
        }
        return true
    }

    static func failure(_ action: String) -> RunError {
        let cause = String(cString: strerror(errno))
        return .machine("a file in \(folder) cannot be \(action): \(cause); set TMPDIR to another folder")
    }
}
