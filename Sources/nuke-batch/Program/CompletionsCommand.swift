import JobPlanning

/// `completions`: prints the completions of commands and options for a shell.
struct CompletionsCommand: Command {
    /// A shell that has a script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        /// Returns the script for `program`, for the shell's start-up file or its folder of completions.
        func script(for program: ProgramDescription) -> String {
            switch self {
            case .bash: BashCompletions(program).script
            case .zsh: ZshCompletions(program).script
            case .fish: FishCompletions(program).script
            }
        }
    }

    struct Options: CommandOptions {
        var shell = Shell.bash
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
