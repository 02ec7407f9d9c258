import Foundation
import Synchronization

/// The beginnings of interrupted downloads in memory, of all owners in the process: the short ones, and those without a
/// `DataCache`.
package final class ResumableStorage: Sendable {
    package static let shared = ResumableStorage()

    private struct Key: Hashable {
        let owner: ObjectIdentifier
        let name: String
    }

    private struct Kept {
        var entries: [(key: Key, data: ResumableData)] = []
        var byteCount = 0
    }

    /// The most entries, and the most bytes of all of them: a hundredth of the memory, at most 32 MB.
    private static let maxCount = 100
    private static let maxByteCount = Int(min(32_000_000, ProcessInfo.processInfo.physicalMemory / 100))
    private let kept = Mutex(Kept())

    /// Removes and returns the beginning of a download.
    func take(_ name: String, of owner: ObjectIdentifier) -> ResumableData? {
        let key = Key(owner: owner, name: name)
        return kept.withLock { kept in
            guard let index = kept.entries.firstIndex(where: { $0.key == key }) else { return nil }
            return Self.remove(at: index, from: &kept)
        }
    }

    /// Keeps the beginning of a download, evicting the oldest ones.
    func keep(_ data: ResumableData, _ name: String, of owner: ObjectIdentifier) {
        guard data.data.count <= Self.maxByteCount else { return }
        let key = Key(owner: owner, name: name)
        kept.withLock { kept in
            if let index = kept.entries.firstIndex(where: { $0.key == key }) {
                _ = Self.remove(at: index, from: &kept)
            }
            kept.entries.append((key, data))
            kept.byteCount += data.data.count
            while kept.entries.count > Self.maxCount || kept.byteCount > Self.maxByteCount {
                _ = Self.remove(at: 0, from: &kept)
            }
        }
    }

    /// Drops all beginnings of an owner.
    package func removeAll(of owner: ObjectIdentifier) {
        kept.withLock { kept in
            kept.entries.removeAll { $0.key.owner == owner }
            kept.byteCount = kept.entries.reduce(0) { $0 + $1.data.data.count }
        }
    }

    private static func remove(at index: Int, from kept: inout Kept) -> ResumableData {
        let data = kept.entries.remove(at: index).data
        kept.byteCount -= data.data.count
        return data
    }
}
