/// The completion scripts, made from the commands' tables: commands, options and the values that they take.
enum Completions {
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
}
