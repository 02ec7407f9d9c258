import Files
import Foundation
import SQLite

/// The condition of a state's file, found without changing it.
public struct StateInspection: Sendable {
    /// The size of the file and of its write-ahead log, in bytes.
    public let bytes: Int, logBytes: Int
    /// The permissions of the file and of its folder.
    public let permissions: Int, folderPermissions: Int
    /// The ID of the process that holds the job, 0 if it cannot be read; nil if no process holds it.
    public let holder: Int32?
    /// The schema's version in the file (nil if it cannot be read), and the version that this release writes.
    public let version: Int?, knownVersion: Int
    /// The damage that SQLite finds; empty if the file is intact.
    public let damage: [String]

    /// Inspects the state at `path`, reading all of it; nil if there is none.
    public init?(path: String) {
        let file = StateFile(path: path)
        guard file.exists else { return nil }
        let attributes = { (path: String) in (try? FileManager.default.attributesOfItem(atPath: path)) ?? [:]
        }
        let mode = { (path: String) in (attributes(path)[.posixPermissions] as? NSNumber)?.intValue ?? 0 }
        let size = { (path: String) in (attributes(path)[.size] as? NSNumber)?.intValue ?? 0 }
        let folder = (path as NSString).deletingLastPathComponent
        (bytes, logBytes) = (size(path), size(path + "-wal"))
        (permissions, folderPermissions) = (mode(path), mode(folder.isEmpty ? "." : folder))
        holder = Self.holder(file)
        knownVersion = Schema.migrations.count
        (version, damage) = Self.examine(file)
    }

    private static func examine(_ file: StateFile) -> (version: Int?, damage: [String]) {
        do {
            try file.refuseEmpty()
            let connection = try Connection(path: file.path, mode: .readOnly)
            try file.examine(connection)
            let version = Int(try connection.integer("PRAGMA user_version"))
            let found = try connection.statement("PRAGMA quick_check(10)").rows { $0.text(0) }
            return (version, found.filter { $0 != "ok" })
        } catch {
            return (nil, ["\(error)"])
        }
    }

    private static func holder(_ file: StateFile) -> Int32? {
        // Taking the lock would create its file.
        guard FileManager.default.fileExists(atPath: file.lockPath) else { return nil }
        do {
            _ = try file.lock()
            return nil
        } catch {
            guard case .locked(let holder, _) = error else { return nil }
            return holder ?? 0
        }
    }
}
