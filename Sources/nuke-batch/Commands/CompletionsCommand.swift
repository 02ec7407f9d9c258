import JobManifest
import JobPlanning
import JobReports

/// `completions`: prints the completions of commands and options for a shell.
struct CompletionsCommand: Command {
    struct Options: CommandOptions {
        var shell = Completions.Shell.bash
    }

    static let name = CommandName.completions
    static let summary = "Print the completion script for a shell"
    static let operands: [Operand<Options>] = [.required(.choice(), sets: \.shell)]
    static let table: [Option<Options>] = []

    let options: Options

    func perform() async throws -> ExitCode {
        Output.result(options.shell.script)
        return .done
    }
}
