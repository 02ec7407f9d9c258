import NukeBatch

/// `prune`: the files that no item makes any more; with `--delete` they go.
enum PruneCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        let isJSON = arguments.has("--json")
        do {
            let options = try RunOptions(arguments)
            let path = arguments.operands[0]
            let pruning = try Pruning(try Arguments.manifest(path), options: options)
            let isDeleting = arguments.has("--delete")
            if isDeleting { try pruning.remove() }
            for file in pruning.files {
                Output.result(isJSON ? JSONLine.text(file) : text(file, isDeleting))
            }
            if !isJSON { Output.result(summary(pruning, isDeleting, path)) }
            return .done
        } catch {
            return Failure.report(error)
        }
    }

    private static func text(_ file: Pruning.File, _ isDeleting: Bool) -> String {
        let fate =
            switch file.fate {
            case .remove: isDeleting ? "removed" : "to remove"
            case .gone: "gone already"
            case .taken: "kept: another output has this path now"
            case .changed: "kept: it was changed after it was written"
            }
        return Output.printable("\(fate)  \(file.path)")
    }

    private static func summary(_ pruning: Pruning, _ isDeleting: Bool, _ path: String) -> String {
        let removable = pruning.files.filter { $0.fate == .remove }
        let size = RunReport.size(removable.reduce(0) { $0 + $1.bytes })
        guard !removable.isEmpty, !isDeleting else {
            return removable.isEmpty ? "nothing to remove" : "\(removable.count) removed, \(size)"
        }
        return "\(removable.count) to remove, \(size); to remove them: nuke-batch prune \(path) --delete"
    }
}
