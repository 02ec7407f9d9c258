import Files
import Foundation
import Glibc

/// The size, time and inode of a list, which change when the list changes.
public struct ListFingerprint: Sendable, Equatable, CustomStringConvertible {
    /// The size in bytes.
    public let size: Int
    /// The time of the last change, in nanoseconds since 1970.
    public let modified: Int
    /// The inode number.
    public let inode: UInt64

    /// Returns the fingerprint of the file at `path`; nil if the file is missing, or a pipe, whose content always
    /// differs.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        modified = Int(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    /// `size:modified:inode`, to be stored and compared.
    public var description: String { "\(size):\(modified):\(inode)" }

    /// Returns the SHA-256 of the file at `path`, to detect a fingerprint that changed without the content.
    /// - Throws: `FileError` if the file cannot be read.
    public static func sha256(path: String) throws -> String {
        try Digest.sha256.hex(of: Payload(file: path))
    }
}
