import Foundation
import JobManifest
import JobPlanning
import JobReports

/// The job that a command is about: its manifest, and the options that change or locate the job.
struct JobOptions: Sendable {
    var manifestPath = ""
    var run = RunOptions()
    /// True if the command is about all partitions of the job.
    var isAboutAllShards = false

    /// The options of the commands that look at what is recorded of the job.
    static let looking = [
        RunOptions.stateFile.within(\JobOptions.run), RunOptions.partition.within(\.run), allShards,
    ]

    static let allShards = Option<JobOptions>.flag(
        "--all-shards",
        \.isAboutAllShards,
        help: "Look at all partitions that have a state"
    )

    /// The commands that continue the job.
    var nextCommands: NextCommands { NextCommands(manifestPath: manifestPath, options: run) }

    /// Reads the manifest; each `${NAME}` in it comes from the environment of this process.
    /// - Throws: `ManifestErrors`; `RunError.machine` for one beside its state that cannot be looked at.
    func manifest() throws -> Manifest {
        try KeptManifest.check(manifestPath)
        return try Manifest.read(path: manifestPath, environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the manifest for a look at what is recorded of the job: its lists and folders may be gone.
    /// - Throws: As `manifest`.
    func recordedManifest() throws -> Manifest {
        try KeptManifest.check(manifestPath)
        return try Manifest.read(
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

    /// Returns the partitions that have a state, and warns about those without; nil if the command is about one state.
    /// - Throws: `UsageError` for an option that selects one state, `RunError`.
    func partitions(of manifest: Manifest) throws -> RecordedPartitions? {
        guard isAboutAllShards else { return nil }
        let selecting = [("--shard", run.shard != nil), ("--state-file", run.state != nil)].filter(\.1)
        guard selecting.isEmpty else {
            let names = selecting.map(\.0).joined(separator: " and ")
            throw UsageError(
                "--all-shards looks at the states of all partitions: leave out \(names), also in the environment, "
                    + "or leave out --all-shards"
            )
        }
        let partitions = try RecordedPartitions(of: manifest, options: run)
        if let warning = partitions.warning { Output.warn(warning) }
        return partitions
    }

    /// Returns the options of each state that the command is about: one, or with `--all-shards` one for each partition.
    /// - Throws: As `partitions(of:)`.
    func parts(of manifest: Manifest) throws -> [RunOptions] {
        try partitions(of: manifest)?.options ?? [run]
    }
}
