import JobManifest
import JobPlanning
import JobReports

/// `prune`: lists orphaned outputs; `--delete` removes them.
struct PruneCommand: Command {
    struct Options: CommandOptions {
        var job = JobOptions()
        var isDeleting = false
        var isJSON = false
    }

    static let name = CommandName.prune
    static let summary = "List orphaned outputs; remove them with --delete"
    static let operands: [Operand<Options>] = [.required(.manifest, sets: \.job.manifestPath)]
    static let table = [
        RunOptions.stateFile.within(\Options.job.run),
        .flag(
            "--delete",
            sets: \.isDeleting,
            help: "Remove orphaned outputs, except files that changed after they were written"
        ),
        RunOptions.outputFolder.within(\.job.run),
        .flag("--json", sets: \.isJSON, help: "Print NDJSON, one line per file"),
    ]

    static let examples = [
        CommandExample(
            "nuke-batch prune jobs/thumbnails.json",
            "List the outputs that the manifest no longer asks for"
        ),
        CommandExample("nuke-batch prune jobs/thumbnails.json --delete", "Remove them"),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        let pruning = try Pruning(try options.job.recordedManifest(), options: options.job.run)
        if options.isDeleting { try pruning.remove() }
        for file in pruning.files {
            Output.result(options.isJSON ? JSONLine.text(file) : text(file))
        }
        if !options.isJSON { Output.result(summary(pruning)) }
        return .done
    }

    private func text(_ file: Pruning.File) -> String {
        let fate =
            switch file.fate {
            case .remove: options.isDeleting ? "removed" : "to remove"
            case .gone: "gone already"
            case .taken: "kept: another output has this path now"
            case .changed: "kept: it was changed after it was written"
            }
        return Output.printable("\(fate)  \(file.path)")
    }

    private func summary(_ pruning: Pruning) -> String {
        let removable = pruning.files.filter { $0.fate == .remove }
        let size = Quantity.bytes(removable.reduce(0) { $0 + $1.bytes })
        guard !removable.isEmpty, !options.isDeleting else {
            return removable.isEmpty ? "nothing to remove" : "\(removable.count) removed, \(size)"
        }
        let remedy = options.job.nextCommands.prune + " --delete"
        return "\(removable.count) to remove, \(size); to remove them: \(remedy)"
    }
}
