import Files
import Foundation
import Imaging
import SQLite

/// The files that hold the bytes of entries.
///
/// A new entry's file stands under its name before its row is written. A file that replaces another waits beside it
/// until its row is durable and is then renamed over it, so that at every moment one of the two is what the row
/// speaks of, and an interruption loses neither the old bytes nor the new ones.
extension DataCacheIndex {
    /// The bytes of the entry `name` from the file that its row speaks of, or nil if none does.
    ///
    /// `stamp` is that of a file whose bytes had to be compared with their SHA-256: it is not the one that was
    /// recorded, or the cache was not closed the last time. Without `isSettled` the file waits for its name.
    /// Many bytes are `mapped` if wanted. All are compared if `compares` is true.
    func content(
        _ name: String,
        _ row: Row,
        mapped: Bool = false,
        compares: Bool = false
    ) -> (bytes: DataCache.EntryBytes, stamp: Stamp?, isSettled: Bool)? {
        for path in Self.paths(of: name, row) {
            if let (bytes, stamp) = content(at: path, of: name, row, mapped: mapped, compares: compares) {
                return (bytes, stamp, path == Self.filePath(name))
            }
        }
        return nil
    }

    /// The file of the entry `name`, if it is the one that its row speaks of, and its bytes are known to be good.
    ///
    /// Each other name that the file gets is a change, after which its bytes are compared once more. Another file, though it has the
    /// same bytes, may not be durable.
    func durableFile(_ name: String, _ row: Row) -> DurableFile? {
        guard let file = try? DurableFile(Self.filePath(name), in: folder, mayBeLinked: !row.isMappable),
            file.status.size == row.size
        else { return nil }
        let stamp = Stamp(file.status)
        guard stamp.inode == row.stamp.inode else { return nil }
        if isKnownGood(name, row, with: stamp) { return file }
        guard let compared = content(at: Self.filePath(name), of: name, row)?.stamp, compared == stamp else {
            return nil
        }
        noteUse(of: name, found: stamp)
        return file
    }

    /// True if the bytes of the file with this stamp need not be compared with their SHA-256.
    private func isKnownGood(_ name: String, _ row: Row, with stamp: Stamp) -> Bool {
        row.isTrusted && row.stamp == stamp || uses.contains(name, stamp)
    }

    /// True if a file has the length in the row of `name`, or if that cannot be found out: a read gives the reason.
    func hasContent(_ name: String, _ row: Row) -> Bool {
        do {
            return try Self.paths(of: name, row).contains { try folder.examine($0)?.size == row.size }
        } catch {
            return true
        }
    }

    /// Looks at the files of the entry `name` once more: settles what waits for its name, and drops the entry if
    /// none is what its row speaks of.
    func mend(_ name: String) async throws {
        let isDropped = try await database.write { [self] connection in
            let row = try connection.statement(Self.rowByName).first(name) { [epoch] in
                Row($0, epoch: epoch)
            }
            guard let row else { return true }
            if let found = content(name, row) {
                if !found.isSettled {
                    try folder.rename(Self.replacementPath(of: name, row.sha256), to: Self.filePath(name))
                }
                return false
            }
            // One that cannot be opened for want of descriptors, memory or libjxl may be whole.
            guard !isOutOfReach(Self.filePath(name)), row.coding != .jpegXL || JPEGTranscoder.isBuilt else {
                return false
            }
            try connection.statement("DELETE FROM entry WHERE name = ?").run(name)
            return true
        }
        if isDropped { try await database.read { [self] in try discard([name], $0) } }
    }

    /// The errors that are no damage of the file: it may be whole.
    private static let outOfReach = [EMFILE, ENFILE, ENOMEM, EACCES, EPERM, ESTALE, ENOTCONN, ETIMEDOUT]

    /// True if this machine, and not the file, is the reason that it cannot be opened now.
    private func isOutOfReach(_ path: String) -> Bool {
        do {
            _ = try folder.readWithStatus(path, limit: 0)
            return false
        } catch {
            return Self.outOfReach.contains(error.code)
        }
    }

    /// The name of the file `name` below the cache's folder: in one of 256 folders, by the first two digits of
    /// the SHA-1 that it is, or else of its own.
    static func filePath(_ name: String) -> String {
        "\(subfolder(name))/\(name)"
    }

    /// Returns the path at which the bytes with `sha256` wait to replace the file `name`.
    static func replacementPath(of name: String, _ sha256: Data) -> String {
        "\(subfolder(name))/\(replacement(of: name, sha256))"
    }

    /// The paths at which the bytes that a row speaks of may be.
    private static func paths(of name: String, _ row: Row) -> [String] {
        [filePath(name), replacementPath(of: name, row.sha256)]
    }

    /// The name of a file that waits to replace `name`.
    static func replacement(of name: String, _ sha256: Data) -> String {
        "\(replacementPrefix)\(Digest.hex(sha256.prefix(replacementDigits / 2)))-\(name)"
    }

    /// The name that `file` waits to replace; nil for a file that does not.
    static func target(ofReplacement file: String) -> String? {
        guard file.hasPrefix(replacementPrefix) else { return nil }
        return String(file.dropFirst(replacementPrefix.count + replacementDigits + 1))
    }

    /// The longest name that a file which waits to replace another can be made from (NAME_MAX of limits.h is 255 bytes).
    static let longestReplaced = 255 - replacementPrefix.count - replacementDigits - 1
    private static let replacementPrefix = ".new-"
    private static let replacementDigits = 16

    private static func subfolder(_ name: String) -> String {
        let digits = name.utf8.prefix(2)
        let isHexadecimal =
            name.utf8.count == 40
            && digits.allSatisfy { $0 &- UInt8(ascii: "0") < 10 || $0 &- UInt8(ascii: "a") < 6 }
        return String(isHexadecimal ? name.prefix(2) : Digest.sha1.hex(of: name).prefix(2))
    }

    /// The bytes of the file at `path` if the row of `name` speaks of it; `stamp` as above.
    func content(
        at path: String,
        of name: String,
        _ row: Row,
        mapped: Bool = false,
        compares: Bool = false
    ) -> (bytes: DataCache.EntryBytes, stamp: Stamp?)? {
        guard let (bytes, stamp) = bytes(at: path, row, mapped: mapped) else { return nil }
        if !compares, isKnownGood(name, row, with: stamp) { return (bytes, nil) }
        defer { bytes.mapping?.releaseMemory() }
        // Without this, a disk that cannot read the bytes would end the process.
        do { try bytes.mapping?.load() } catch { return nil }
        return Data(Digest.sha256.bytes(of: bytes.data)) == row.sha256 ? (bytes, stamp) : nil
    }

    /// True if a file holds the bytes that the row of `name` describes; reads the file.
    func isIntact(_ name: String, _ row: Row) -> Bool {
        Self.paths(of: name, row).contains { path in
            bytes(at: path, row, mapped: false).map {
                Data(Digest.sha256.bytes(of: $0.bytes.data)) == row.sha256
            } ?? false
        }
    }

    private func bytes(
        at path: String,
        _ row: Row,
        mapped: Bool
    ) -> (bytes: DataCache.EntryBytes, stamp: Stamp)? {
        if mapped, row.isMappable {
            guard let (file, status) = try? folder.mapWithStatus(path, count: row.size) else { return nil }
            return (DataCache.EntryBytes(data: file.data, mapping: file), Stamp(status))
        }
        guard let (stored, status) = try? folder.readWithStatus(path, limit: row.size),
            stored.count == row.size,
            let data = row.length.map({ row.coding?.decompress(stored, count: $0) }) ?? stored
        else { return nil }
        return (DataCache.EntryBytes(data: data), Stamp(status))
    }
}

extension DataCacheIndex.Row {
    /// True if the file holds the bytes as they are, and so many that they should be mapped.
    var isMappable: Bool { length == nil && size >= PartialDownloads.minimumSize }
}
