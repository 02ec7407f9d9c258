import Foundation
import JobManifest
import JobPlanning
import JobReports

/// The job that a command is about: its manifest, and the options that change or locate the job.
struct JobOptions: Sendable {
    var manifestPath = ""
    var run = RunOptions()

    /// The commands that continue the job.
    var nextCommands: NextCommands { NextCommands(manifestPath: manifestPath, options: run) }

    /// Reads the manifest; each `${NAME}` in it comes from the environment of this process.
    /// - Throws: `ManifestErrors`.
    func manifest() throws(ManifestErrors) -> Manifest {
        try Manifest.read(path: manifestPath, environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the manifest for a look at what is recorded of the job: its lists and folders may be gone.
    /// - Throws: `ManifestErrors`.
    func recordedManifest() throws(ManifestErrors) -> Manifest {
        try Manifest.read(
            path: manifestPath,
            environment: ProcessInfo.processInfo.environment,
            checksSources: false
        )
    }

    /// Opens the recorded state of the job, if there is one.
    /// - Throws: `RunError.machine` for a state that cannot be read.
    func state(of manifest: Manifest) throws(RunError) -> JobState {
        try JobState(manifest, options: run)
    }
}
