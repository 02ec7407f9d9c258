/// Commands that share their first word, such as `fleet plan` and `fleet work`.
struct CommandGroup {
    /// The first word.
    let word: String
    /// One imperative sentence for the help, without its period.
    let summary: String
    /// The commands, in the order of the help.
    let commands: [CommandName]

    /// All groups.
    static let all = [
        CommandGroup("fleet", "Plan one job for many machines, work on it, and prove that it is complete")
    ]

    /// Returns the group of a first word; nil if it is that of a command.
    static func named(_ word: String) -> CommandGroup? { all.first { $0.word == word } }

    /// The first words of the program, with the summaries of their commands or groups, in the order of the help.
    static var words: [(word: String, summary: String)] {
        CommandName.words.map { word in
            (word, named(word)?.summary ?? CommandName(rawValue: word)?.command.summary ?? "")
        }
    }

    private init(_ word: String, _ summary: String) {
        (self.word, self.summary) = (word, summary)
        commands = CommandName.allCases.filter { $0.rawValue.hasPrefix(word + " ") }
    }

    /// The second words of its commands.
    var actions: [String] { commands.map(action) }

    /// Returns the second word of a command of the group.
    func action(_ command: CommandName) -> String {
        String(command.rawValue.dropFirst(word.count + 1))
    }

    /// Returns the command of a second word.
    /// - Throws: `UsageError` if there is none.
    func command(_ action: String?) throws(UsageError) -> CommandName {
        guard let action else {
            throw UsageError("\(word) needs an action: \(actions.joined(separator: ", "))")
        }
        guard let command = CommandName(rawValue: "\(word) \(action)") else {
            let hint = UsageError.hint(for: action, among: actions, of: word)
            throw UsageError("\(word) has no action \(action)\(hint)")
        }
        return command
    }
}
