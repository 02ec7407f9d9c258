import Foundation
import JobManifest
import JobPlanning

/// `validate`: reports every error of each manifest with its line and column.
struct ValidateCommand: Command {
    var manifestPaths: [String] = []
    var isJSON = false
    var printsSchema = false

    static let name = CommandName.validate
    static let summary = "Check manifests and report every error with its line and column"
    static let operands: [Operand<Self>] = [.repeated(.manifest, \.manifestPaths)]
    static let table: [Option<Self>] = [
        .flag("--json", \.isJSON, help: "Print NDJSON, one line per manifest"),
        .flag("--schema", \.printsSchema, help: "Print the JSON Schema of manifests, for editors"),
    ]

    static let examples: CommandExamples = [
        "nuke-batch validate jobs/*.json": "Check all manifests in a folder",
        "nuke-batch validate --schema": "Print the JSON Schema, for an editor",
    ]

    func perform() async throws -> ExitCode {
        if printsSchema {
            Output.result(String(ManifestSchema.text.dropLast()))
        } else if manifestPaths.isEmpty {
            throw UsageError("validate needs MANIFEST…, or --schema")
        }
        var exit = ExitCode.done
        for path in manifestPaths {
            do {
                let manifest = try JobOptions(manifestPath: path).manifest()
                show(isJSON ? path : manifest.shownPath, manifest, errors: [])
            } catch let error as ManifestErrors {
                exit = .wrongInput
                show(path, nil, errors: error.errors)
            }
        }
        return exit
    }

    private func show(_ path: String, _ manifest: Manifest?, errors: [ManifestError]) {
        guard isJSON else {
            for error in errors { Output.result(Output.printable(error.description)) }
            if errors.isEmpty {
                let count = Quantity.count(manifest?.outputs.count ?? 0, "output")
                Output.result(Output.printable("\(path): correct, \(count)"))
                for warning in manifest?.warnings ?? [] { Output.warn("\(path): \(warning)") }
            }
            return
        }
        Output.result(
            JSONLine.text([
                "manifest": path, "valid": errors.isEmpty,
                "errors": errors.map { error in
                    Line(line: error.line, column: error.column, path: error.path, message: error.message)
                },
            ])
        )
    }

    /// An error as JSON.
    private struct Line: Encodable, Sendable {
        @Nullable var line: Int?
        @Nullable var column: Int?
        let path, message: String
    }
}
