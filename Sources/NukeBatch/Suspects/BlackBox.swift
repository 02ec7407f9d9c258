package import Files
import Foundation
import JobStorage
import Synchronization

/// What a run is working on, in a file that outlives it: whoever finds it knows which images the process died of.
///
/// It lies beside the state as `NAME.inflight`, mapped and never synced: the kernel keeps it when the process is killed
/// or crashes, and a power cut, which is no image's fault, may take it. Layout, in native byte order: 8 bytes of
/// magic, 8 bytes of how it ends (0 running, 1 asked to stop by a signal), 48 bytes of the machine's boot id, then slots
/// of 16 bytes: the item's row (0 for none) and its `PixelPhase`. The lock of the job is its lock as well.
package final class BlackBox: Sendable {
    /// A place for the work on one item.
    package struct Slot: Sendable {
        fileprivate let index: Int
    }

    private static let magic = Array("NBINFLT1".utf8).withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
    private static let (endOffset, bootOffset, bootSize) = (8, 16, 48)
    private static let (headerSize, slotSize) = (64, 16)

    private let bytes: SharedBytes
    private let free: Mutex<[Int]>
    private let path: String?

    /// Begins anew at `path`, with room for `slots` items at once; read `suspects(at:)` before.
    /// - Throws: `FileError` where the file cannot be made.
    package convenience init(path: String, slots: Int) throws(FileError) {
        let size = Self.headerSize + Self.slotSize * slots
        self.init(try SharedBytes(path: path, count: size), path: path)
        for offset in stride(from: 0, to: size, by: 8) { bytes.store(0, at: offset) }
        var boot = Array(JobStore.bootID.utf8.prefix(Self.bootSize))
        boot += [UInt8](repeating: 0, count: Self.bootSize - boot.count)
        for offset in stride(from: 0, to: Self.bootSize, by: 8) {
            let word = boot[offset..<offset + 8].withUnsafeBytes { $0.loadUnaligned(as: Int64.self) }
            bytes.store(word, at: Self.bootOffset + offset)
        }
        // Last: a box without its magic is none.
        bytes.store(Self.magic, at: 0)
    }

    /// A box with room for one item, in the first `oneSlotSize` bytes of a file that a parent process looks at.
    convenience init(_ file: MemoryFile) throws(FileError) {
        self.init(try file.shared(count: Self.oneSlotSize), path: nil)
    }

    private init(_ bytes: SharedBytes, path: String?) {
        self.bytes = bytes
        self.path = path
        free = Mutex(Array((0..<(bytes.count - Self.headerSize) / Self.slotSize).reversed()))
    }

    /// The file beside the state at `path`.
    package static func path(besideState path: String) -> String {
        (path as NSString).deletingPathExtension + ".inflight"
    }

    /// The rows of the items that a run died over: those it was working on.
    ///
    /// None if it died by a power cut, or was asked to stop. Only while the job is held: a run that is alive has a box as well.
    package static func suspects(at path: String) -> [Int64] {
        guard let data = FileManager.default.contents(atPath: path), data.count >= headerSize,
            word(data, 0) == magic, word(data, endOffset) == 0
        else { return [] }
        let boot = data[bootOffset..<bootOffset + bootSize].prefix { $0 != 0 }
        guard String(decoding: boot, as: UTF8.self) == JobStore.bootID else { return [] }
        return stride(from: headerSize, through: data.count - slotSize, by: slotSize)
            .map { word(data, $0) }.filter { $0 > 0 }
    }

    /// The phase that the work in a box of one slot has come to; nil before it began and after its end.
    static func phase(in file: MemoryFile) -> PixelPhase? {
        guard let data = try? file.read(), data.count >= oneSlotSize else { return nil }
        return PixelPhase(rawValue: word(data, headerSize + 8))
    }

    /// How many bytes a box of one slot has.
    static let oneSlotSize = headerSize + slotSize

    /// Work on an item begins; nil where all slots are taken.
    package func enter(_ item: Int64, _ phase: PixelPhase) -> Slot? {
        guard let index = free.withLock({ $0.popLast() }) else { return nil }
        let slot = Slot(index: index)
        note(phase, in: slot)
        bytes.store(item, at: Self.headerSize + Self.slotSize * index)
        return slot
    }

    /// The work has come to another phase.
    package func note(_ phase: PixelPhase, in slot: Slot?) {
        guard let slot else { return }
        bytes.store(phase.rawValue, at: Self.headerSize + Self.slotSize * slot.index + 8)
    }

    /// The work has ended.
    package func leave(_ slot: Slot?) {
        guard let slot else { return }
        bytes.store(0, at: Self.headerSize + Self.slotSize * slot.index)
        bytes.store(0, at: Self.headerSize + Self.slotSize * slot.index + 8)
        free.withLock { $0.append(slot.index) }
    }

    /// Somebody asked the run to stop: however it ends now, no image is to blame.
    package func noteStop() {
        bytes.store(1, at: Self.endOffset)
    }

    /// The run has ended; nothing is left behind.
    package func remove() {
        guard let path else { return }
        noteStop()
        unlink(path)
    }

    private static func word(_ data: Data, _ offset: Int) -> Int64 {
        data.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int64.self) }
    }
}
