import NukeBatch

/// `validate`: every error of each manifest with its place.
enum ValidateCommand {
    static func perform(_ arguments: Arguments) -> ExitCode {
        if arguments.has("--schema") {
            Output.result(String(ManifestSchema.text.dropLast()))
        } else if arguments.operands.isEmpty {
            return Failure.report(Arguments.Failure(message: "validate needs MANIFEST…, or --schema"))
        }
        var exit = ExitCode.done
        for path in arguments.operands {
            do throws(ManifestErrors) {
                let manifest = try Arguments.manifest(path)
                show(arguments, path, errors: [], outputs: manifest.outputs.count)
            } catch {
                exit = .wrongInput
                show(arguments, path, errors: error.errors, outputs: 0)
            }
        }
        return exit
    }

    private static func show(_ arguments: Arguments, _ path: String, errors: [ManifestError], outputs: Int) {
        guard arguments.has("--json") else {
            for error in errors { Output.result(Output.printable(error.description)) }
            if errors.isEmpty { Output.result(Output.printable("\(path): correct, \(outputs) outputs")) }
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
