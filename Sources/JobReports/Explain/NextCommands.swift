import JobManifest
import JobPlanning
import JobReports
import NukeBatch

/// The commands that continue a job, with the options that select it: without these, they would be about another job.
struct NextCommands {
    private let manifestPath: String
    private let options: RunOptions

    init(_ job: JobOptions) {
        manifestPath = job.manifestPath
        options = job.run
    }

    /// The command that checks the outputs.
    var verify: String { command("verify", planning) }

    /// The command that removes orphaned outputs.
    var prune: String {
        command("prune", planning.filter { ["--state-file", "--destination"].contains($0.name) })
            + " --delete"
    }

    /// The commands that a run of `manifest` advises.
    func afterRun(of manifest: Manifest) -> RunReport.Commands {
        // Commands that only read the state have no option for partitions, whose states have names of their own.
        let isElsewhere = options.state != nil || options.shard != nil
        let state = isElsewhere ? [(name: "--state-file", value: options.statePath(of: manifest))] : []
        return RunReport.Commands(
            resume: command(options.isWarming ? "warm" : "run", planning),
            failures: command("items", state) + " --state failed,quarantined",
            retry: command("retry", planning)
        )
    }

    private var planning: [(name: String, value: String)] {
        let values: [(name: String, value: String?)] = [
            ("--state-file", options.state), ("--destination", options.destination),
            ("--cache", options.cache), ("--only-output", options.onlyOutput),
            ("--shard", options.shard.map { "\($0.number)/\($0.count)" }),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }

    private func command(_ name: String, _ options: [(name: String, value: String)]) -> String {
        let words = options.flatMap { [$0.name, Shell.quoted($0.value)] }
        return (["nuke-batch", name, Shell.quoted(manifestPath)] + words).joined(separator: " ")
    }
}
