import Files
import JobPlanning

/// The manifest that `resize` and `convert` keep in their output folder, whose name stands for it.
enum KeptManifest {
    private static let folder = ".nuke-batch"
    /// Its place in the output folder.
    static let place = "\(folder)/job.json"

    /// Returns the path of the manifest in the output folder `path`; nil for anything else.
    ///
    /// Reading the manifest reports a place that cannot be looked at.
    static func path(in path: String) -> String? {
        guard ((try? Presence.status(of: path)) ?? nil)?.isFolder == true else { return nil }
        let manifest = path + (path.hasSuffix("/") ? "" : "/") + place
        do throws(FileError) {
            return try Presence.exists(manifest) ? manifest : nil
        } catch {
            return manifest
        }
    }

    /// Checks that a manifest which lies beside its state can be looked at, as the state must be.
    /// - Throws: `RunError.machine`.
    static func check(_ path: String) throws(RunError) {
        guard let parent = path.parts(at: "/").dropLast().last, parent == folder else { return }
        do throws(FileError) {
            if try Presence.exists(path) { try Presence.requireReadable(path) }
        } catch {
            throw .machine(error.description)
        }
    }
}
