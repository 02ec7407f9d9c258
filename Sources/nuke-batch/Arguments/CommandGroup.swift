/// Commands that share their first word, such as `fleet plan` and `fleet work`.
struct CommandGroup {
    /// The first word.
    let word: String
    /// One imperative sentence for the help, without its period.
    let summary: String
    /// The second words of its commands, in the order of the help.
    let actions: [String]

    /// All groups.
    static let all = [
        CommandGroup("fleet", "Plan one job for many machines, work on it, and prove that it is complete")
    ]

    /// Returns the group of a first word; nil if it is that of a command.
    static func named(_ word: String) -> CommandGroup? { all.first { $0.word == word } }

    private init(_ word: String, _ summary: String) {
        (self.word, self.summary) = (word, summary)
        let names = CommandName.allCases.map(\.rawValue).filter { $0.hasPrefix(word + " ") }
        actions = names.map { String($0.dropFirst(word.count + 1)) }
    }

    /// Returns the name of the command of a second word.
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
