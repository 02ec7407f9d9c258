import JobPlanning

/// `completions`: prints the completions of commands and options for a shell.
struct CompletionsCommand: Command {
    struct Options: CommandOptions {
        var shell = Completions.Shell.bash
    }

    static let name = CommandName.completions
    static let summary = "Print the completion script for a shell"
    static let operands: [Operand<Options>] = [.required(.choice(), sets: \.shell)]
    static let table: [Option<Options>] = []

    static let examples = [
        CommandExample(
            "nuke-batch completions bash",
            "Print the script for bash: source <(nuke-batch completions bash)"
        ),
        CommandExample(
            "nuke-batch completions fish",
            "Print the script for fish: nuke-batch completions fish | source"
        ),
    ]

    let options: Options

    func perform() async throws -> ExitCode {
        Output.result(options.shell.script(for: .nukeBatch))
        return .done
    }
}
