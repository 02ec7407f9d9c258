import JobManifest
package import JobPlanning

/// The commands that continue a job, with the options that select it: without these, they would be about another job.
package struct NextCommands: Sendable {
    private let manifestPath: String
    private let options: RunOptions
    private let shardCount: Int?

    /// Creates the commands for the job of a manifest, selected by `options`.
    ///
    /// `shardCount` is the number of partitions if the commands are about all of them. Those that run the job take one
    /// partition at a time, and have the letter `I` in place of its number.
    package init(manifestPath: String, options: RunOptions = RunOptions(), shardCount: Int? = nil) {
        self.manifestPath = manifestPath
        self.options = options
        self.shardCount = shardCount
    }

    /// The command that does what is left.
    package var resume: String { command(options.isWarming ? "warm" : "run", planning) }

    /// The command that tries failed items again.
    package var retry: String { command("retry", planning) }

    /// The command that checks the outputs.
    package var verify: String { command("verify", planning) }

    /// The command that lists orphaned outputs.
    package var prune: String { look("prune", taking: ["--state-file", "--destination"]) }

    /// The command that shows the state of the job.
    package var status: String { look("status") }

    /// The command that lists the items.
    package var items: String { look("items") }

    /// The command that lists the failed items.
    package var failures: String { items + " --state failed,quarantined" }

    /// The command that rebuilds a damaged state.
    package var rebuild: String {
        command("doctor", planning.filter { $0.name == "--state-file" }) + " --rebuild"
    }

    private var planning: [(name: String, value: String)] {
        let values: [(name: String, value: String?)] = [
            ("--state-file", options.state), ("--destination", options.destination),
            ("--cache", options.cache), ("--only-output", options.onlyOutput),
            ("--shard", shardCount.map { "I/\($0)" } ?? options.shard?.description),
        ]
        return values.compactMap { name, value in value.map { (name, $0) } }
    }

    /// A command that can be about all partitions.
    private func look(_ name: String, taking names: [String] = ["--state-file"]) -> String {
        guard shardCount == nil else {
            return command(name, planning.filter { names.contains($0.name) }) + " --all-shards"
        }
        return command(name, planning.filter { (names + ["--shard"]).contains($0.name) })
    }

    /// A command on the job; the text of a manifest from standard input must be given again.
    private func command(_ name: String, _ options: [(name: String, value: String)]) -> String {
        let words = options.flatMap { [$0.name, Shell.quoted($0.value)] }
        let program = manifestPath == Manifest.standardInput ? "cat MANIFEST | nuke-batch" : "nuke-batch"
        return ([program, name, Shell.quoted(manifestPath)] + words).joined(separator: " ")
    }
}
