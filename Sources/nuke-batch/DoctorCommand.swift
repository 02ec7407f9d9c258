import NukeBatch

/// `doctor`: what may be in the way of a run, and a damaged state made anew.
enum DoctorCommand {
    static func perform(_ arguments: Arguments) async -> ExitCode {
        do {
            var options = RunOptions()
            options.state = arguments["--state-file"]
            let manifest = try arguments.operands.first.map { path throws(ManifestErrors) in
                try Arguments.manifest(path)
            }
            if arguments.has("--rebuild") {
                guard let manifest else {
                    throw Arguments.Failure(
                        message: "doctor --rebuild needs the MANIFEST whose state is to be rebuilt"
                    )
                }
                try await rebuild(manifest, options)
            }
            let diagnosis = Diagnosis(manifest, options: options)
            if arguments.has("--json") {
                Output.result(JSONLine.text(diagnosis))
            } else {
                for finding in diagnosis.findings { Output.result(Output.printable(line(finding))) }
            }
            return diagnosis.hasTrouble ? .machine : .done
        } catch {
            return Failure.report(error)
        }
    }

    private static func rebuild(_ manifest: Manifest, _ options: RunOptions) async throws(RunError) {
        guard let rebuilt = try await StateRebuild.perform(manifest, options: options) else {
            return Output.message("the state is whole: nothing to rebuild")
        }
        for warning in rebuilt.warnings { Output.message("warning: \(Output.printable(warning))") }
        Output.message(
            Output.printable(
                "rebuilt: \(rebuilt.finished) of \(rebuilt.items) items are finished as they were, \(rebuilt.outputs) outputs proved; "
                    + "the others wait for the next run. The damaged state is \(rebuilt.aside)"
            )
        )
    }

    private static func line(_ finding: Diagnosis.Finding) -> String {
        let verdict = finding.verdict.rawValue
        let remedy = finding.remedy.map { "; \($0)" } ?? ""
        return verdict + String(repeating: " ", count: 9 - verdict.count)
            + "\(finding.subject): \(finding.message)\(remedy)"
    }
}
