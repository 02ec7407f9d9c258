import Files
import Foundation
import JobManifest
import JobPlanning

/// The folders of one node's workers: state, cache and items of each partition of a plan, from which a restarted worker resumes.
///
/// They are in a folder of this user, `nuke-batch-UID`, which nobody else can have made or can write to. Nothing in it is needed
/// by anybody else: another node begins a partition again.
package struct WorkerScratch: Sendable {
    /// The folder of all users, such as `/tmp`.
    private let parent: String
    /// The names of the folders below it: that of the user and that of the plan.
    private let names: [String]

    /// Creates the value for a plan below a folder.
    init(_ folder: String, plan: SHA256Name) {
        parent = folder
        names = ["nuke-batch-\(geteuid())", plan.short]
    }

    /// The absolute path of the plan's folder.
    var path: String { ([parent] + names).joined(separator: "/") }

    /// Returns the folder that `--scratch`, `NUKE_BATCH_SCRATCH` or `TMPDIR` names.
    package static func folder(_ given: String?, environment: [String: String]) -> String {
        let text = given ?? environment["NUKE_BATCH_SCRATCH"] ?? environment["TMPDIR"] ?? ""
        return FilePath.absolute(text.isEmpty ? "/tmp" : text, in: FileManager.default.currentDirectoryPath)
    }

    /// Returns the path of a partition's folder, which exists then and is this user's alone.
    /// - Throws: `RunError.machine`.
    func folder(of partition: Int) throws(RunError) -> String {
        let name = FleetKey.digits(partition)
        _ = try opened(names + [name], creates: true)
        return "\(path)/\(name)"
    }

    /// Opens a folder below the parent; nil if it is missing and must not be made.
    /// - Throws: `RunError.machine` for one that is not this user's alone, or no folder.
    private func opened(_ names: [String], creates: Bool) throws(RunError) -> Folder? {
        do throws(FileError) {
            var folder = creates ? try Folder(path: parent, create: true) : try Presence.folder(parent)
            for name in names {
                guard let next = try folder?.ownFolder(name, creates: creates) else { return nil }
                folder = next
            }
            return folder
        } catch {
            throw .machine(
                "\(error): it must be a folder of this user alone (mode 0700); remove it if it is not in use, or name another "
                    + "place with --scratch DIR"
            )
        }
    }

    /// Returns the ID of the attempt that began in a partition's folder: `now`, unless an earlier one was killed.
    ///
    /// Its shards have names with this ID, and are continued by later attempts.
    /// - Throws: `RunError.machine`.
    func firstAttempt(in folder: String, now id: AttemptID) throws(RunError) -> AttemptID {
        let path = "\(folder)/attempt"
        return try RunError.wrapping {
            let opened = try Folder(path: folder)
            if try opened.examine("attempt") != nil {
                let text = String(decoding: try opened.read("attempt", limit: 1024), as: UTF8.self)
                if let first = AttemptID(parsing: text) { return first }
            }
            try ResultFile.write(Data(id.description.utf8), to: path)
            return id
        }
    }

    /// Removes the folder of a partition that is committed.
    func remove(_ partition: Int) {
        try? FileManager.default.removeItem(atPath: "\(path)/\(FleetKey.digits(partition))")
        // The folders above go with the last partition: they are removed only if they are empty. Unsafe by their C strings alone,
        // which live as long as the calls.
        _ = unsafe rmdir(path)
        _ = unsafe rmdir(Folder.enclosing(path))
    }

    /// The partitions that have a folder, such as those of workers that were killed.
    /// - Throws: `RunError.machine` for a folder that cannot be looked into, or is not this user's alone.
    var partitions: [Int] {
        get throws(RunError) {
            guard let folder = try opened(names, creates: false) else { return [] }
            return try RunError.wrapping {
                try folder.names().compactMap { FleetKey.partition($0) }.sorted()
            }
        }
    }
}
