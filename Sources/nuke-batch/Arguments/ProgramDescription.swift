/// The program as its user sees it: what help, manual page, completions and the hints of errors read.
struct ProgramDescription: Sendable {
    private let types: [any Command.Type]

    /// Describes a program of these commands, in the order of the manual page.
    init(_ types: [any Command.Type]) {
        self.types = types
    }

    /// Every command; each is described anew, which takes its time and most runs do not need.
    var commands: [CommandDescription] { types.map { $0.description } }

    /// Returns the commands of a group.
    func commands(of group: CommandGroup) -> [CommandDescription] {
        commands.filter { $0.group?.word == group.word }
    }

    /// The first words, with the summaries of their commands or groups, in the order of the manual page.
    var words: [(word: String, summary: String)] {
        commands.reduce(into: []) { words, command in
            let word = command.group?.word ?? command.name
            guard words.last?.word != word else { return }
            words.append((word, command.group?.summary ?? command.summary))
        }
    }
}
