package import Files
import Foundation
import JobStorage
import Synchronization

/// The items that a run is working on, in a file that survives a crash and names the suspect images.
///
/// It is the file `NAME.inflight` beside the state, mapped and never synced: the kernel keeps it when the process is
/// killed or crashes. A power cut may lose it, but no image causes one. Layout, in native byte order: 8 bytes of magic,
/// 8 bytes of status (0 running, 1 asked to stop by a signal), 48 bytes of the machine's boot id, then slots of 16
/// bytes: the item's row (0 for none) and its `RenderPhase`. The job's lock also protects this file.
package final class InFlightJournal: Sendable {
    /// A slot for the work on one item.
    package struct Slot: Sendable {
        fileprivate let index: Int
    }

    private static let magic = word("NBINFLT1".utf8)
    private static let (endOffset, bootOffset, bootSize) = (8, 16, 48)
    private static let (headerSize, slotSize) = (64, 16)

    private let bytes: SharedBytes
    private let free: Mutex<[Int]>
    private let path: String?

    /// Creates an empty journal at `path` with room for `slots` items at once; read `suspects(at:)` before.
    /// - Throws: `FileError` if the file cannot be created.
    package convenience init(path: String, slots: Int) throws(FileError) {
        let size = Self.headerSize + Self.slotSize * slots
        self.init(try SharedBytes(path: path, count: size), path: path)
        for offset in stride(from: 0, to: size, by: 8) { bytes.store(0, at: offset) }
        var boot = Array(JobStore.bootID.utf8.prefix(Self.bootSize))
        boot += [UInt8](repeating: 0, count: Self.bootSize - boot.count)
        for offset in stride(from: 0, to: Self.bootSize, by: 8) {
            bytes.store(Self.word(boot[offset..<offset + 8]), at: Self.bootOffset + offset)
        }
        // Last: a journal without its magic is invalid.
        bytes.store(Self.magic, at: 0)
    }

    /// Creates a journal with one slot, in the first `oneSlotSize` bytes of a file that the parent process reads.
    convenience init(_ file: MemoryFile) throws(FileError) {
        self.init(try file.shared(count: Self.oneSlotSize), path: nil)
    }

    private init(_ bytes: SharedBytes, path: String?) {
        self.bytes = bytes
        self.path = path
        free = Mutex(Array((0..<(bytes.count - Self.headerSize) / Self.slotSize).reversed()))
    }

    /// Returns the path of the journal for the state at `path`.
    package static func path(besideState path: String) -> String {
        (path as NSString).deletingPathExtension + ".inflight"
    }

    /// Returns the rows of the items that a crashed run was working on.
    ///
    /// The result is empty after a power cut or a requested stop. Hold the job's lock: an active run has a journal too.
    package static func suspects(at path: String) -> [Int64] {
        guard let data = FileManager.default.contents(atPath: path), data.count >= headerSize,
            word(data, 0) == magic, word(data, endOffset) == 0
        else { return [] }
        let boot = data[bootOffset..<bootOffset + bootSize].prefix { $0 != 0 }
        guard String(decoding: boot, as: UTF8.self) == JobStore.bootID else { return [] }
        return stride(from: headerSize, through: data.count - slotSize, by: slotSize)
            .map { word(data, $0) }.filter { $0 > 0 }
    }

    /// Returns the phase of the work in a journal of one slot; nil before the work begins and after it ends.
    static func phase(in file: MemoryFile) -> RenderPhase? {
        guard let data = try? file.readBeginning(oneSlotSize), data.count == oneSlotSize else { return nil }
        return RenderPhase(rawValue: word(data, headerSize + 8))
    }

    /// The size of a journal of one slot, in bytes.
    static let oneSlotSize = headerSize + slotSize

    /// Records the start of work on an item; nil if all slots are taken.
    package func enter(_ item: Int64, _ phase: RenderPhase) -> Slot? {
        guard let index = free.withLock({ $0.popLast() }) else { return nil }
        let slot = Slot(index: index)
        note(phase, in: slot)
        bytes.store(item, at: Self.headerSize + Self.slotSize * index)
        return slot
    }

    /// Records the next phase of the work.
    package func note(_ phase: RenderPhase, in slot: Slot?) {
        guard let slot else { return }
        bytes.store(phase.rawValue, at: Self.headerSize + Self.slotSize * slot.index + 8)
    }

    /// Records the end of the work.
    package func leave(_ slot: Slot?) {
        guard let slot else { return }
        bytes.store(0, at: Self.headerSize + Self.slotSize * slot.index)
        bytes.store(0, at: Self.headerSize + Self.slotSize * slot.index + 8)
        free.withLock { $0.append(slot.index) }
    }

    /// Records that the run was asked to stop: no image is a suspect, however the run ends.
    package func noteStop() {
        bytes.store(1, at: Self.endOffset)
    }

    /// Removes the file at the end of the run.
    package func remove() {
        guard let path else { return }
        noteStop()
        _ = unsafe unlink(path)
    }

    /// Returns the word at an offset.
    private static func word(_ data: Data, _ offset: Int) -> Int64 {
        word(data.dropFirst(offset).prefix(8))
    }

    /// Returns the word of eight bytes, in native byte order.
    private static func word(_ bytes: some BidirectionalCollection<UInt8>) -> Int64 {
        Int64(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | Int64($1) })
    }
}
