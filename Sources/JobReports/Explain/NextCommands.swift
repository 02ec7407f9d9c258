package import JobManifest
package import JobPlanning

/// The commands that continue a job, with the options that select it: without these, they would be about another job.
package struct NextCommands: Sendable {
    private let manifestPath: String
    private let options: RunOptions

    /// Creates the commands for the job of a manifest, selected by `options`.
    package init(manifestPath: String, options: RunOptions = RunOptions()) {
        self.manifestPath = manifestPath
        self.options = options
    }

    /// The command that does what is left.
    package var resume: String { command(options.isWarming ? "warm" : "run", planning) }

    /// The command that tries failed items again.
    package var retry: String { command("retry", planning) }

    /// The command that checks the outputs.
    package var verify: String { command("verify", planning) }

    /// The command that lists orphaned outputs.
    package var prune: String {
        command("prune", planning.filter { ["--state-file", "--destination"].contains($0.name) })
    }

    /// The command that shows the state of the job.
    package var status: String { command("status", planning.filter { $0.name == "--state-file" }) }

    /// The command that lists the items.
    package var items: String { command("items", planning.filter { $0.name == "--state-file" }) }

    /// The command that rebuilds a damaged state.
    package var rebuild: String {
        command("doctor", planning.filter { $0.name == "--state-file" }) + " --rebuild"
    }

    /// The command that lists the failed items of `manifest`.
    package func failures(of manifest: Manifest) -> String {
        // Commands that only read the state have no option for partitions, whose states have names of their own.
        let isElsewhere = options.state != nil || options.shard != nil
        let state = isElsewhere ? [(name: "--state-file", value: options.statePath(of: manifest))] : []
        return command("items", state) + " --state failed,quarantined"
    }

    private var planning: [(name: String, value: String)] {
        let values: [(name: String, value: String?)] = [
            ("--state-file", options.state), ("--destination", options.destination),
            ("--cache", options.cache), ("--only-output", options.onlyOutput),
            ("--shard", options.shard.map { "\($0.number)/\($0.count)" }),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }

    /// A command on the job; the text of a manifest from standard input must be given again.
    private func command(_ name: String, _ options: [(name: String, value: String)]) -> String {
        let words = options.flatMap { [$0.name, Shell.quoted($0.value)] }
        let program = manifestPath == Manifest.standardInput ? "cat MANIFEST | nuke-batch" : "nuke-batch"
        return ([program, name, Shell.quoted(manifestPath)] + words).joined(separator: " ")
    }
}
