import Files
import Foundation
import Glibc

/// The size, time and inode of a list, which change when the list does.
public struct ListFingerprint: Sendable, Equatable, CustomStringConvertible {
    /// Bytes.
    public let size: Int
    /// The time of the last change, in nanoseconds since 1970.
    public let modified: Int
    /// The number of the file in its file system.
    public let inode: UInt64

    /// The fingerprint of the file at `path`; nil if there is none, or if it is a pipe, which is never the same.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        size = Int(status.st_size)
        modified = Int(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    /// `size:modified:inode`, to be stored and compared.
    public var description: String { "\(size):\(modified):\(inode)" }

    /// SHA-256 of the bytes of the file at `path`, for where the fingerprint alone has changed.
    /// - Throws: the error of Foundation if the file cannot be read.
    public static func sha256(path: String) throws -> String {
        // Mapped, so that a list of any length takes no memory.
        Digest.sha256.hex(of: try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped))
    }
}
