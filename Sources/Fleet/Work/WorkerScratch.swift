import Files
import Foundation
import JobManifest
import JobPlanning

/// The folders of one node's workers: state, cache and items of each partition of a plan, from which a restarted worker resumes.
///
/// Nothing in it is needed by anybody else: another node begins a partition again.
package struct WorkerScratch: Sendable {
    /// The absolute path of the plan's folder.
    let path: String

    /// Creates the value for a plan below a folder.
    init(_ folder: String, plan: String) {
        path = "\(folder)/nuke-batch-fleet/\(plan.prefix(16))"
    }

    /// Returns the folder that `--scratch`, `NUKE_BATCH_SCRATCH` or `TMPDIR` names.
    package static func folder(_ given: String?, environment: [String: String]) -> String {
        let text = given ?? environment["NUKE_BATCH_SCRATCH"] ?? environment["TMPDIR"] ?? ""
        return FilePath.absolute(text.isEmpty ? "/tmp" : text, in: FileManager.default.currentDirectoryPath)
    }

    /// Returns the path of a partition's folder, which exists then.
    /// - Throws: `RunError.machine`.
    func folder(of partition: Int) throws(RunError) -> String {
        let folder = "\(path)/\(FleetKey.digits(partition))"
        do {
            try FileManager.default.createDirectory(
                atPath: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw .machine("cannot make the folder \(folder): \(error.localizedDescription)")
        }
        return folder
    }

    /// Returns the ID of the attempt that began in a partition's folder: `now`, unless an earlier one was killed.
    ///
    /// Its shards have names with this ID, and are continued by later attempts.
    /// - Throws: `RunError.machine`.
    func firstAttempt(in folder: String, now id: String) throws(RunError) -> String {
        let path = "\(folder)/attempt"
        do throws(FileError) {
            let opened = try Folder(path: folder)
            if try opened.examine("attempt") != nil {
                let text = String(decoding: try opened.read("attempt", limit: 1024), as: UTF8.self)
                if UUID(uuidString: text) != nil { return text }
            }
            try ResultFile.write(Data(id.utf8), to: path)
        } catch {
            throw RunError(error)
        }
        return id
    }

    /// Removes the folder of a partition that is committed.
    func remove(_ partition: Int) {
        try? FileManager.default.removeItem(atPath: "\(path)/\(FleetKey.digits(partition))")
        // The folders above go with the last partition: they are removed only if they are empty. Unsafe by their C strings alone,
        // which live as long as the calls.
        _ = unsafe rmdir(path)
        _ = unsafe rmdir(FilePath.folder(of: path))
    }

    /// The partitions that have a folder, such as those of workers that were killed.
    /// - Throws: `RunError.machine` for a folder that cannot be looked into.
    var partitions: [Int] {
        get throws(RunError) {
            do throws(FileError) {
                let names = try Presence.folder(path)?.names() ?? []
                return names.compactMap { FleetKey.partition($0) }.sorted()
            } catch {
                throw RunError(error)
            }
        }
    }
}
