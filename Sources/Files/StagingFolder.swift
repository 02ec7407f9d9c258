import Foundation
import Synchronization

/// A folder for the names that files have until they replace others, `.nuke-batch-writing` in a destination.
///
/// Only a rename replaces a file, so the new one needs another name first, which a killed process leaves behind. A
/// destination may hold millions of files; so that none of them has to be looked at, all such names are in one folder, made
/// when the first is needed. Each begins with the name of a file that its process holds (`HeldFile`): those whose process is
/// dead are removed by `sweep`. May be used from any thread.
public final class StagingFolder: Sendable {
    private static let name = ".nuke-batch-writing"
    /// Bounds the attempts to make the folder while other processes remove it as empty.
    private static let attempts = 100

    private struct Staging {
        let folder: Folder
        let owner: HeldFile
        let ownerName: String
        var count = 0
    }

    private let destination: Folder
    private let staging = Mutex<Staging?>(nil)

    /// Creates the staging of `destination`; nothing is made before it is needed.
    public init(in destination: Folder) {
        self.destination = destination
    }

    /// Returns true if `name` in a destination is the folder, or a file in it.
    package static func isOwn(_ name: String) -> Bool {
        name.utf8.starts(with: Self.name.utf8) && (name == Self.name || name.hasPrefix(Self.name + "/"))
    }

    /// Returns true if the folder itself, or something in its place, caused the error of a write: no fault of the name to be written.
    package static func isCause(of error: FileError) -> Bool {
        error.path.hasSuffix("/" + name) || error.path.contains("/\(name)/")
    }

    /// Removes the names that dead processes have left in `destination`, and the folder if no other process uses it.
    ///
    /// What this process may not change stays: files are written without the folder then.
    /// - Throws: `FileError`, also if something else has the folder's name.
    public static func sweep(_ destination: Folder) throws(FileError) {
        do {
            let folder = try destination.folder(name)
            let names = try folder.names()
            let owners = Set(names.map { String($0.prefix { $0 != "." }) })
            for ownerName in owners where UUID(uuidString: ownerName) != nil {
                // Made if missing, so that no process takes the name meanwhile.
                guard let owner = try HeldFile(ownerName, in: folder, create: true) else { continue }
                for name in names where name.hasPrefix("\(ownerName).") { try folder.remove(name) }
                try owner.remove()
            }
            _ = try destination.removeFolder(name)
        } catch {
            // Another process may have removed the folder at any moment.
            guard error.isMissing || Self.isForbidden(error) else { throw error }
        }
    }

    /// True if this process may not make or change the folder.
    private static func isForbidden(_ error: FileError) -> Bool {
        [EACCES, EPERM, EROFS].contains(error.code)
    }

    /// Removes the folder, unless another process uses it; all files have their final names.
    public func close() {
        guard let owner = staging.withLock({ $0.take() })?.owner else { return }
        // The next run removes what this cannot.
        try? owner.remove()
        _ = try? destination.removeFolder(Self.name)
    }

    /// Returns a name that is not used yet, and its folder.
    ///
    /// Nil if the folder may not be made, or if a rename cannot lead from there to `folder`.
    func newName(for folder: Folder) throws(FileError) -> (folder: Folder, name: String)? {
        do throws(FileError) {
            let place = try staging.withLock { staging throws(FileError) -> (folder: Folder, name: String) in
                var made = if let staging { staging } else { try make() }
                made.count += 1
                staging = made
                return (made.folder, "\(made.ownerName).\(made.count)")
            }
            return place.folder.mount == folder.mount ? place : nil
        } catch {
            // Folders below a destination may be writable when it is not itself.
            if Self.isForbidden(error) { return nil }
            throw error
        }
    }

    private func make() throws(FileError) -> Staging {
        var attempt = 1
        while true {
            do throws(FileError) {
                let folder = try destination.folder(Self.name, create: true)
                let ownerName = UUID().uuidString
                // Another process may hold a file that it has just found, to remove it.
                if let owner = try HeldFile(ownerName, in: folder, create: true) {
                    return Staging(folder: folder, owner: owner, ownerName: ownerName)
                }
            } catch {
                guard error.isMissing, attempt < Self.attempts else { throw error }
            }
            attempt += 1
        }
    }
}
