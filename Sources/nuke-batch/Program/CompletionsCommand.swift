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
            case .zsh: ZshCompletions(program: program).script
            case .fish: FishCompletions(program: program).script
            }
        }
    }

    var shell = Shell.bash

    static let name = CommandName.completions
    static let summary = "Print the completion script for a shell"
    static let operands: [Operand<Self>] = [.required(.choice(), \.shell)]

    static let examples: CommandExamples = [
        "nuke-batch completions bash": "Print the script for bash: source <(nuke-batch completions bash)",
        "nuke-batch completions fish": "Print the script for fish: nuke-batch completions fish | source",
    ]

    func perform() async throws -> ExitCode {
        Output.result(shell.script(for: .nukeBatch))
        return .done
    }
}
