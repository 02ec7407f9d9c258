import JobReports

/// The completion scripts, made from the commands' tables: commands, options and the values that they take.
enum Completions {
    /// A shell that has a script.
    enum Shell: String, CaseIterable {
        case bash, zsh, fish

        /// The script, for the shell's start-up file or its folder of completions.
        var script: String {
            switch self {
            case .bash: BashCompletions.script
            case .zsh: ZshCompletions.script
            case .fish: FishCompletions.script
            }
        }
    }
}
