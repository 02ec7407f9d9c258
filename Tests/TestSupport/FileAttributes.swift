import CFiles
public import Foundation

/// The attributes of a file or folder that decide who may use it.
public struct FileAttributes: Equatable, Sendable, CustomStringConvertible {
    /// The permissions, with the bits setuid, setgid and sticky.
    public let permissions: UInt32
    /// The owner.
    public let user: UInt32
    /// The group.
    public let group: UInt32
    /// The access list as the system keeps it; nil for none.
    public let list: Data?
    /// The access list that a folder hands down; nil for none.
    public let defaultList: Data?

    /// Looks at what `path` leads to.
    /// - Throws: `CocoaError` if there is nothing.
    public init(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw CocoaError(.fileNoSuchFile) }
        (permissions, user, group) = (status.st_mode & 0o7777, status.st_uid, status.st_gid)
        list = AccessList.data(of: path, byDefault: false)
        defaultList = AccessList.data(of: path, byDefault: true)
    }

    /// The permissions in octal digits, the group, and the lists if there are any.
    public var description: String {
        let lists = [list.map { "list \($0.count)" }, defaultList.map { "default list \($0.count)" }]
        return ([String(permissions, radix: 8), "\(user):\(group)"] + lists.compactMap(\.self)).joined(
            separator: " "
        )
    }
}

/// An access list (acl(5)) with an entry for one user besides the usual ones, for which no program needs to be installed.
public struct AccessList: Sendable {
    private let bytes: Data

    /// Makes a list: all for the owner, reading and searching for the group, nothing for others, and `permissions` (as in `rwx`, 7)
    /// for `user`.
    public init(user: UInt32, permissions: UInt16) {
        // Tags: the owner, a user, the group, the mask, others (posix_acl_xattr.h); an entry without a name has the number -1.
        let entries: [(tag: UInt16, permissions: UInt16, id: UInt32)] = [
            (0x01, 7, .max), (0x02, permissions, user), (0x04, 5, .max), (0x10, 7, .max), (0x20, 0, .max),
        ]
        bytes = entries.reduce(into: Data([2, 0, 0, 0])) { bytes, entry in
            for value in [entry.tag, entry.permissions] { bytes += [UInt8(value & 0xff), UInt8(value >> 8)] }
            bytes += (0..<4).map { UInt8(truncatingIfNeeded: entry.id >> (8 * UInt32($0))) }
        }
    }

    /// Gives the list to a file or folder, or to what will be made in a folder.
    /// - Throws: `CocoaError` where the system refuses.
    public func set(on path: String, byDefault: Bool) throws {
        let isSet = bytes.withUnsafeBytes {
            setxattr(path, Self.name(byDefault), $0.baseAddress, $0.count, 0) == 0
        }
        guard isSet else { throw CocoaError(.fileWriteNoPermission) }
    }

    /// True if the file system of a folder has such lists.
    public static func isSupported(at folder: String) -> Bool {
        let probe = folder + "/.probe-\(UUID().uuidString)"
        guard mkdir(probe, 0o700) == 0 else { return false }
        defer { rmdir(probe) }
        return (try? AccessList(user: 33, permissions: 5).set(on: probe, byDefault: true)) != nil
    }

    static func data(of path: String, byDefault: Bool) -> Data? {
        var room = [UInt8](repeating: 0, count: 4096)
        let count = getxattr(path, name(byDefault), &room, room.count)
        return count >= 0 ? Data(room[..<count]) : nil
    }

    private static func name(_ byDefault: Bool) -> String {
        byDefault ? "system.posix_acl_default" : "system.posix_acl_access"
    }
}
