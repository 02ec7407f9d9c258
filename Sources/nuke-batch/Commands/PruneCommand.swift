import JobManifest
import JobPlanning
import JobReports

/// `prune`: lists orphaned outputs; `--delete` removes them.
struct PruneCommand: JobCommand {
    var job = JobOptions()
    var isDeleting = false
    /// The outputs that may be removed at once; nil for half of them.
    var limit: DeletionLimit?
    var isJSON = false

    static let name = CommandName.prune
    static let summary = "List orphaned outputs; remove them with --delete"
    static let table =
        JobOptions.looking.within(\Self.job) + [
            .flag(
                "--delete",
                \.isDeleting,
                help: "Remove orphaned outputs, except files that changed after they were written"
            ),
            .value(
                "--max-delete",
                \.limit,
                as: .deletionLimit,
                help: "With --delete, remove at most N outputs or N% of the recorded ones (default: 50%)"
            ),
            RunOptions.outputFolder.within(\.job.run),
            .flag("--json", \.isJSON, help: "Print NDJSON, one line per file"),
        ]

    static let examples: CommandExamples = [
        "nuke-batch prune jobs/thumbnails.json": "List the outputs that the manifest no longer asks for",
        "nuke-batch prune jobs/thumbnails.json --delete": "Remove them",
    ]

    func perform() async throws -> ExitCode {
        let manifest = try job.recordedManifest()
        let partitions = try job.partitions(of: manifest)
        let commands = NextCommands(
            manifestPath: job.manifestPath,
            options: job.run,
            shardCount: partitions?.count
        )
        let command = commands.prune + " --delete"
        let parts = partitions?.options ?? [job.run]
        if isDeleting {
            var all: [Pruning] = []
            for part in parts { all.append(try await Pruning(manifest, options: part)) }
            try Pruning.check(all, atMost: limit, command: command)
        }
        var files: [Pruning.File] = []
        // One after the other: a file that two partitions have left behind is gone for the second.
        for part in parts {
            let pruning = try await Pruning(manifest, options: part)
            if isDeleting { try await pruning.removeAll() }
            for file in pruning.files { Output.result(isJSON ? JSONLine.text(file) : text(file)) }
            files += pruning.files
        }
        guard !isJSON else { return .done }
        Output.result(summary(files, remedy: command))
        return .done
    }

    private func text(_ file: Pruning.File) -> String {
        let fate =
            switch file.fate {
            case .remove: isDeleting ? "removed" : "to remove"
            case .gone: "gone already"
            case .taken: "kept: another output has this path now"
            case .changed: "kept: it was changed after it was written"
            }
        return Output.printable("\(fate)  \(file.path)")
    }

    private func summary(_ files: [Pruning.File], remedy: String) -> String {
        let removable = files.filter { $0.fate == .remove }
        let size = Quantity.bytes(removable.reduce(0) { $0 + $1.bytes })
        guard !removable.isEmpty, !isDeleting else {
            return removable.isEmpty ? "nothing to remove" : "\(removable.count) removed, \(size)"
        }
        return "\(removable.count) to remove, \(size); to remove them: \(remedy)"
    }
}

extension ArgumentValue where Value == DeletionLimit {
    fileprivate static var deletionLimit: Self {
        ArgumentValue("N|N%", form: "a number, or a percentage such as 80%", read: DeletionLimit.init)
    }
}
