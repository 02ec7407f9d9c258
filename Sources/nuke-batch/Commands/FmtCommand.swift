import JobManifest
import JobPlanning

/// `fmt`: writes manifests in their canonical form.
struct FmtCommand: Command {
    var manifestPaths: [String] = []
    var isChecking = false
    var prints = false

    static let name = CommandName.format
    static let summary = "Write manifests with their keys in the order of the schema; keep comments"
    static let operands: [Operand<Self>] = [.repeated(.manifest, \.manifestPaths)]
    static let table: [Option<Self>] = [
        .flag("--check", \.isChecking, help: "Write nothing; name what is not formatted and exit with 1"),
        .flag("--stdout", \.prints, help: "Print the formatted manifests and leave the files alone"),
    ]

    static let examples: CommandExamples = [
        "nuke-batch fmt jobs/*.json": "Format all manifests in a folder",
        "nuke-batch fmt --check jobs/*.json": "Fail if one is not formatted, for CI",
    ]

    func perform() async throws -> ExitCode {
        guard !manifestPaths.isEmpty else { throw UsageError("fmt needs MANIFEST…, or - for standard input") }
        guard !isChecking || !prints else { throw UsageError("fmt takes --check or --stdout, not both") }
        var exit = ExitCode.done
        for path in manifestPaths {
            do {
                let format = try ManifestFormat(path: path)
                if try put(format, at: path), exit == .done { exit = .someFailed }
            } catch let error as ManifestErrors {
                exit = .wrongInput
                for error in error.errors { Output.message(Output.printable(error.description)) }
            }
        }
        return exit
    }

    /// Writes a formatted manifest where the options say.
    /// - Returns: True if it should have been formatted already.
    private func put(_ format: ManifestFormat, at path: String) throws -> Bool {
        if isChecking {
            if format.isChanged { Output.result(Output.printable(format.name)) }
            return format.isChanged
        }
        if prints || path == Manifest.standardInput {
            Output.result(format.text)
        } else if format.isChanged {
            try Output.write(format.text, toFile: path)
            Output.result(Output.printable("formatted \(format.name)"))
        }
        return false
    }
}
